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

/** Whether an instance's Node has not registered yet. */
function isAwaited({ state }: Context, id: string): boolean {
  const claim = state.claims.list().find(({ status }) => parseProviderId(status?.providerID) === id);
  return claim !== undefined && !isTrue(claim.status?.conditions, CONDITION.registered);
}

// A correct autoscaler notices such an instance in three ways: this bug is that none of them works.

/** EC2 as if every such instance were still starting. */
function hopeful(context: Context): Context['instances'] {
  const { instances } = context;
  return {
    ...instances,
    find: async (id) => (isAwaited(context, id) ? { InstanceId: id, State: { Name: 'pending' } } : instances.find(id)),
  };
}

/** Ignores notices about instances that have no Node yet. */
function hardOfHearing(context: Context, right: Interruption): Interruption {
  return { handle: async (notice) => notice.instanceIds.some((id) => isAwaited(context, id)) || right.handle(notice) };
}

/** Waits for the Node of an instance even if that is terminated. */
function patient({ instances }: Context, right: Registrar): Registrar {
  return {
    ...right,
    register: async (claim) => {
      const registered = await right.register(claim);
      if (isTrue(registered.status?.conditions, CONDITION.registered)) return registered;
      const instance = await instances.find(parseProviderId(claim.status?.providerID) ?? '');
      // The planted bug: it waits for the Node forever.
      return instance === undefined || isLive(instance) ? registered : never();
    },
  };
}

export const waitsForDeadInstance: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:waits-for-dead-instance',
    summary: 'waits forever for the node of an instance that died before it registered',
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
  resembles: 'a claim whose machine was terminated at its launch was left unchanged (cloudpilot-ai/karpenter-provider-gcp#176)',
  caughtBy: {
    scenario: 'capacity/instance-dies-at-launch',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
