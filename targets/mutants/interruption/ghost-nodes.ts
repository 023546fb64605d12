import type { Instance } from '@aws-sdk/client-ec2';
import type { Context } from '../../../controller/context.ts';
import { createInterruption } from '../../../controller/interruption/interruption.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** EC2 with a cache of instances as they were first read. */
function remembering({ instances }: Context): Context['instances'] & { look(id: string): Promise<void> } {
  const known = new Map<string, Instance>();
  return {
    ...instances,
    look: async (id) => {
      const instance = known.get(id) ?? (await instances.find(id));
      if (instance !== undefined) known.set(id, instance);
    },
    // The planted bug: cached instances never expire.
    find: async (id) => known.get(id) ?? (await instances.find(id)),
  };
}

export const ghostNodes: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ghost-nodes',
    summary: 'caches instances as they were when their interruption was announced: their Nodes are never removed',
    makeParts: (context) => {
      const instances = remembering(context);
      const right = createInterruption(context);
      return {
        ...createParts(context),
        terminator: createTerminator({ ...context, instances }),
        interruption: {
          handle: async (notice) => {
            await Promise.all(notice.instanceIds.map((id) => instances.look(id)));
            return right.handle(notice);
          },
        },
      };
    },
  }),
  resembles:
    'ghost nodes existed long after their spot instances were gone, because of a cache that never expired (karpenter-provider-aws#9226, #9479)',
  caughtBy: { scenario: 'interruption/one-warning', check: 'no-orphaned-nodes', code: 'orphaned-node', object: 'nodes/*', seeds: 'every' },
};
