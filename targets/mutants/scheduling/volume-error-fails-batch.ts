import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { PodValidator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Validates pods like the correct one, and also looks up their storage classes. */
function lookingUpClasses({ state }: Context, right: PodValidator): PodValidator {
  return {
    problem: (pod) => {
      for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
        const claim = state.storage.claim(pod.metadata.namespace ?? '', persistentVolumeClaim?.claimName ?? '');
        const name = claim?.spec.storageClassName ?? '';
        // The planted bug: the error affects the whole batch instead of the pod.
        if (name !== '' && state.storage.storageClass(name) === undefined) throw new Error(`getting storage class "${name}": not found`);
      }
      return right.problem(pod);
    },
  };
}

export const volumeErrorFailsBatch: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:volume-error-fails-batch',
    summary: 'fails to plan a whole batch when the storage class of one of its pods does not exist',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, validator: lookingUpClasses(context, right.validator) };
    },
  }),
  resembles: 'pods with a missing storage class blocked all provisioning (karpenter-provider-aws#2189)',
  caughtBy: {
    scenario: 'pools/missing-storage-class',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/healthy-*',
    seeds: 'every',
  },
};
