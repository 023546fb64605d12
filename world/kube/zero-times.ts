import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { ApiObject } from './resource.ts';

const OF_CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['lastProbeTime', 'lastTransitionTime'],
  Node: ['lastHeartbeatTime', 'lastTransitionTime'],
  Job: ['lastProbeTime', 'lastTransitionTime'],
  Deployment: ['lastUpdateTime', 'lastTransitionTime'],
  PersistentVolumeClaim: ['lastProbeTime', 'lastTransitionTime'],
};
const OF_OTHER_CONDITIONS = ['lastTransitionTime'];
const OF_EVENTS = ['firstTimestamp', 'lastTimestamp', 'eventTime'];

/**
 * A built-in object with nulls for unset times of its conditions, or of an event: in Go these are structs (`metav1.Time`),
 * whose zero value is written as null despite `omitempty` (`k8s.io/api/core/v1/types.go`). Returns the same object if there are
 * none.
 */
export function withZeroTimes(object: ApiObject): ApiObject {
  if (object.kind === 'Event' && object.apiVersion === 'v1') return withNulls(object, OF_EVENTS);
  const { status } = object;
  if (!isJsonObject(status) || !Array.isArray(status['conditions'])) return object;
  const times = OF_CONDITIONS[object.kind] ?? OF_OTHER_CONDITIONS;
  const before: readonly unknown[] = status['conditions'];
  const conditions = before.map((condition) => (isJsonObject(condition) ? withNulls(condition, times) : condition));
  if (conditions.every((condition, index) => condition === before[index])) return object;
  return { ...object, status: { ...status, conditions } };
}

function withNulls<T extends JsonObject>(value: T, fields: readonly string[]): T {
  const missing = fields.filter((field) => value[field] === undefined);
  return missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing.map((field) => [field, null])) };
}
