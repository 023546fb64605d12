import { CONDITION, isTrue } from '../../../controller/api.ts';
import { isLive } from '../../../controller/capacity/instances.ts';
import type { Context } from '../../../controller/context.ts';
import type { Interruption } from '../../../controller/interruption/interruption.ts';
import { createCollector } from '../../../controller/lifecycle/collector.ts';
import type { Registrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { never } from '../../../runtime/clock.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Whether an instance is one whose Node has not come yet. */
function isAwaited({ state }: Context, id: string): boolean {
  const claim = state.claims.list().find(({ status }) => parseProviderId(status?.providerID) === id);
  return claim !== undefined && !isTrue(claim.status?.conditions, CONDITION.registered);
}

// A right autoscaler finds such an instance out in three ways: this bug is that it has none of them.

/** EC2 as it would be if whatever is awaited were on its way. */
function hopeful(context: Context): Context['instances'] {
  const { instances } = context;
  return {
    ...instances,
    find: async (id) => (isAwaited(context, id) ? { InstanceId: id, State: { Name: 'pending' } } : instances.find(id)),
  };
}

/** Hears what is said about instances that it has met. */
function hardOfHearing(context: Context, right: Interruption): Interruption {
  return { handle: async (notice) => notice.instanceIds.some((id) => isAwaited(context, id)) || right.handle(notice) };
}

/** Waits for the Node of an instance also when that has ended. */
function patient({ instances }: Context, right: Registrar): Registrar {
  return {
    ...right,
    register: async (claim) => {
      const registered = await right.register(claim);
      if (isTrue(registered.status?.conditions, CONDITION.registered)) return registered;
      const instance = await instances.find(parseProviderId(claim.status?.providerID) ?? '');
      // The planted bug: the wait for its Node has no end.
      return instance === undefined || isLive(instance) ? registered : never();
    },
  };
}

export const waitsForDeadInstance: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:waits-for-dead-instance',
    summary: 'waits for ever for the node of an instance that died before it registered',
    makeParts: (context) => {
      const right = createParts(context);
      return {
        ...right,
        registrar: patient(context, right.registrar),
        collector: createCollector({ ...context, instances: hopeful(context) }),
        interruption: hardOfHearing(context, right.interruption),
      };
    },
  }),
  resembles: 'a claim whose machine ended at its launch was left as it was (cloudpilot-ai/karpenter-provider-gcp#176)',
  caughtBy: {
    scenario: 'capacity/instance-dies-at-launch',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
