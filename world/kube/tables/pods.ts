import { getOwn, isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import type { ApiObject } from '../resource.ts';
import { AGE, NAME, column, wide } from './columns.ts';
import type { Printer } from './columns.ts';
import { ageOf, at, countAt, hasCondition, listAt, textAt } from './read.ts';

/** Pods as in `printPod` of `pkg/printers/internalversion/printers.go`. */
export const podPrinter: Printer = {
  columns: [NAME, column('Ready'), column('Status'), column('Restarts'), AGE, ...wide('IP', 'Node', 'Nominated Node', 'Readiness Gates')],
  row: (pod, nowMs) => {
    const { ready, total, reason, restarts, restartedAt } = summarize(pod);
    const restartText = restarts > 0 && restartedAt !== '' ? `${restarts} (${ageOf(restartedAt, nowMs)} ago)` : String(restarts);
    return [
      pod.metadata.name ?? '',
      `${ready}/${total}`,
      reason,
      restartText,
      ageOf(pod.metadata.creationTimestamp, nowMs),
      textAt(pod, ['status', 'podIPs', 0, 'ip'], '<none>'),
      textAt(pod, ['spec', 'nodeName'], '<none>'),
      textAt(pod, ['status', 'nominatedNodeName'], '<none>'),
      readinessGates(pod),
    ];
  },
  conditions: (pod) => COMPLETED[textAt(pod, ['status', 'phase'])] ?? [],
};

/** Conditions in the rows of finished pods. */
const COMPLETED: Readonly<Record<string, readonly object[]>> = {
  Succeeded: [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  restartedAt: string;
}

function summarize(pod: ApiObject): Summary {
  const phase = textAt(pod, ['status', 'phase']);
  const initContainers = listAt(pod, 'spec', 'initContainers');
  const sidecars = new Set(initContainers.filter((one) => one['restartPolicy'] === 'Always').map((one) => one['name']));
  const gated = listAt(pod, 'status', 'conditions').some((one) => one['type'] === 'PodScheduled' && one['reason'] === 'SchedulingGated');
  const summary: Summary = {
    ready: 0,
    total: listAt(pod, 'spec', 'containers').length + sidecars.size,
    reason: gated ? 'SchedulingGated' : textAt(pod, ['status', 'reason'], phase),
    restarts: 0,
    restartedAt: '',
  };
  const sidecarRestarts = { restarts: 0, restartedAt: '' };
  const isInitializing = readInit(pod, summary, sidecars, sidecarRestarts);
  if (!isInitializing || hasCondition(pod, 'Initialized')) {
    Object.assign(summary, sidecarRestarts);
    readContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(pod, ['status', 'reason']) === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

/** @returns whether the pod's init containers are still running */
function readInit(
  pod: ApiObject,
  summary: Summary,
  sidecars: ReadonlySet<unknown>,
  sidecarRestarts: Pick<Summary, 'restarts' | 'restartedAt'>,
): boolean {
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    count(summary, status);
    const isSidecar = sidecars.has(status['name']);
    if (isSidecar) count(sidecarRestarts, status);
    const terminated = at(status, 'state', 'terminated');
    const waiting = textAt(status, ['state', 'waiting', 'reason']);
    if (isJsonObject(terminated) && countAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && status['started'] === true) {
      if (status['ready'] === true) summary.ready += 1;
      continue;
    }
    if (isJsonObject(terminated)) summary.reason = `Init:${ending(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${index}/${listAt(pod, 'spec', 'initContainers').length}`;
    return true;
  }
  return false;
}

function readContainers(pod: ApiObject, summary: Summary): void {
  let isRunning = false;
  for (const status of listAt(pod, 'status', 'containerStatuses').reverse()) {
    count(summary, status);
    const waiting = textAt(status, ['state', 'waiting', 'reason']);
    const terminated = at(status, 'state', 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (isJsonObject(terminated)) summary.reason = ending(terminated);
    else if (status['ready'] === true && isJsonObject(at(status, 'state', 'running'))) {
      isRunning = true;
      summary.ready += 1;
    }
  }
  if (summary.reason === 'Completed' && isRunning) summary.reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function count(into: Pick<Summary, 'restarts' | 'restartedAt'>, status: JsonObject): void {
  into.restarts += countAt(status, 'restartCount');
  const at = textAt(status, ['lastState', 'terminated', 'finishedAt']);
  if (at > into.restartedAt) into.restartedAt = at;
}

function ending(terminated: JsonObject): string {
  const signal = countAt(terminated, 'signal');
  return textAt(terminated, ['reason'], signal === 0 ? `ExitCode:${countAt(terminated, 'exitCode')}` : `Signal:${signal}`);
}

function readinessGates(pod: ApiObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates');
  const met = gates.filter((gate) => hasCondition(pod, String(getOwn(gate, 'conditionType'))));
  return gates.length === 0 ? '<none>' : `${met.length}/${gates.length}`;
}
