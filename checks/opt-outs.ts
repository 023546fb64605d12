import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { departuresOf } from './departures.ts';
import type { Departure } from './departures.ts';
import { judgeUsedNodes } from './used-nodes.ts';
import { count, duration, indexes, mergeParts, safetyPart } from './parts.ts';
import type { Part } from './parts.ts';

/** No node is disrupted voluntarily while a pod on it has opted out of that, nor to save costs while it has pods and its pool has opted out. */
export const optOuts: Check = {
  name: 'opt-outs',
  summary: 'nodes are not disrupted voluntarily if their pods opted out of it, nor consolidated if their pools did',
  codes: {
    'opted-out-pod-disturbed': 'a node was disrupted voluntarily while a pod that had opted out was on it',
    'used-node-consolidated': 'a node with pods was removed to save costs, although its pool allows that for empty nodes only, or for none',
  },
  judge: (view) => mergeParts([judgePods(view), judgeUsedNodes(view)].filter((part) => part !== undefined)),
};

function judgePods(view: View): Part | undefined {
  const pods = view.pods.filter(({ workload }) => view.workloads.get(workload ?? '')?.deployed.drain === 'opted-out');
  if (pods.length === 0) return undefined;
  const findings = departuresOf(view)
    .filter(({ isVoluntary }) => isVoluntary)
    .flatMap((departure) =>
      pods
        .filter((pod) => isOn(pod, departure))
        .map((pod) => ({
          code: 'opted-out-pod-disturbed',
          object: pod.object,
          events: indexes([...pod.steps, ...departure.node.steps, departure.at]),
          message: `Pod ${pod.name} had opted out of disruption and was on node ${departure.node.name} when the target disrupted it voluntarily at ${duration(departure.at.t)}.`,
        })),
    );
  return safetyPart(view, findings, `${findings.length} of ${count(pods.length, 'pod')} that opted out disturbed`);
}

/** The pod was on the node before the decision, and had neither finished nor begun to terminate. */
function isOn({ node, scheduled, finished, terminating, gone }: PodLife, departure: Departure): boolean {
  if (node?.uid !== departure.node.uid || (scheduled?.i ?? Infinity) > departure.decided.i) return false;
  return [finished, terminating, gone].every((step) => (step?.i ?? Infinity) > departure.at.i);
}
