import type { ResourceList } from '../../../model/kube.ts';
import { parseQuantity } from '../../../model/quantity.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

const COMPUTE = ['cpu', 'memory'];

/** As `ComputePodQOS` of `pkg/apis/core/helper/qos`: zero amounts count as absent. */
export function qosClass(spec: FullPodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all =
    spec.resources === undefined
      ? [...spec.containers, ...(spec.initContainers ?? [])].map((one) => one.resources ?? {})
      : [spec.resources];
  const given = (list: ResourceList = {}): string[] => COMPUTE.filter((name) => parseQuantity(list[name] ?? '0').nanos > 0n);
  if (all.every(({ requests, limits }) => given(requests).length + given(limits).length === 0)) return 'BestEffort';
  const total = (part: 'requests' | 'limits', name: string): bigint =>
    all.reduce((sum, resources) => sum + parseQuantity(resources[part]?.[name] ?? '0').nanos, 0n);
  const limited = all.every(({ limits }) => given(limits).length === COMPUTE.length);
  return limited && COMPUTE.every((name) => total('requests', name) === total('limits', name)) ? 'Guaranteed' : 'Burstable';
}
