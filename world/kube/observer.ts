import { computeOf } from '../../history/compute.ts';
import type { EventOf, NewEvent, Recorder } from '../../history/events.ts';
import { defined } from '../../model/defined.ts';
import { hasOptedOutOfAll, isLeavingTaint } from '../../model/drain.ts';
import type { Condition, KubeEvent, Node, Pod } from '../../model/kube.ts';
import { LABEL, WORKLOAD_LABEL, namedPool } from '../../model/kube.ts';
import { formatObject } from '../../model/operation.ts';
import type { Principal } from '../../model/operation.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { parseResources } from '../../model/resources.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { ApiObject, Resource as ApiResource } from './resource.ts';

/** Resources whose conditions are recorded, by id. */
const WITH_RECORDED_CONDITIONS = ['nodeclaims.karpenter.sh', 'nodepools.karpenter.sh'];
/** Most remembered messages; after that, old ones may be recorded again. */
const MEMORY_LIMIT = 20_000;

/** One change of an object, in any API server. */
export interface ObservedChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Pick<ApiResource, 'id' | 'plural'>;
  /** The object after the change; its last version if it was deleted. */
  readonly version: { readonly object: ApiObject };
  readonly previous: { readonly object: ApiObject } | undefined;
  /** Who made the change. */
  readonly principal: Principal;
}

/** The resources of an API server by the kinds of their objects. */
interface KindTable {
  byKind(apiVersion: string, kind: string): Pick<ApiResource, 'plural' | 'namespaced'> | undefined;
}

/**
 * Turns changes of the world's state into history events: the steps of pods, nodes and claims, and the messages of Kubernetes
 * Events and of conditions. Each message is recorded once per object and reason.
 */
export class Observer {
  readonly #recorder: Recorder;
  readonly #table: KindTable;
  readonly #seen = new Set<string>();

  constructor(recorder: Recorder, table: KindTable) {
    this.#recorder = recorder;
    this.#table = table;
  }

  /** A listener for `ApiServer.onCommit`. */
  readonly observe = (commit: ObservedChange): void => {
    const object = commit.version.object;
    const before = commit.previous?.object;
    switch (commit.resource.id) {
      case 'pods':
        this.#record(podSteps(commit, object as ApiObject & Pod, before as (ApiObject & Pod) | undefined));
        this.#recordConditions(commit, (condition) => condition.type === 'PodScheduled');
        break;
      case 'nodes':
        this.#record(nodeSteps(commit, object as ApiObject & Node, before as (ApiObject & Node) | undefined));
        break;
      case 'events':
        if (commit.type !== 'DELETED') this.#recordEvent(object, commit.principal);
        break;
      default:
        if (commit.resource.id === 'nodeclaims.karpenter.sh') this.#record(claimSteps(commit, object, before));
        if (WITH_RECORDED_CONDITIONS.includes(commit.resource.id)) this.#recordConditions(commit, () => true);
    }
  };

  #record(events: readonly NewEvent[]): void {
    for (const event of events) this.#recorder.record(event);
  }

  #recordConditions(commit: ObservedChange, concerns: (condition: Condition) => boolean): void {
    if (commit.type === 'DELETED') return;
    const { namespace, name, uid } = commit.version.object.metadata;
    const about = nameOf(commit.resource.plural, namespace, name);
    for (const condition of conditionsOf(commit.version.object)) {
      const message = condition.message ?? '';
      if (condition.status === 'True' || message === '' || !concerns(condition)) continue;
      const reason = condition.reason ?? condition.type;
      this.#recordOnce(
        { type: 'said', by: 'condition', about, level: condition.status, reason, message, principal: commit.principal },
        uid,
      );
    }
  }

  #recordEvent(event: Partial<KubeEvent>, principal: Principal): void {
    const { kind = '', apiVersion = 'v1', namespace, name, uid } = event.involvedObject ?? {};
    const resource = this.#table.byKind(apiVersion, kind);
    const plural = resource?.plural ?? `${kind.toLowerCase()}s`;
    const about = nameOf(plural, resource?.namespaced === false ? undefined : namespace, name);
    const { type: level = 'Normal', reason = '', message = '' } = event;
    this.#recordOnce({ type: 'said', by: 'event', about, level, reason, message, principal }, uid);
  }

  /** @param uid of the object that it is about: a later one may have the same name, as pods of a StatefulSet do */
  #recordOnce(event: Extract<NewEvent, { type: 'said' }>, uid: string | undefined): void {
    const key = JSON.stringify([event.by, event.about, uid, event.reason, event.message]);
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= MEMORY_LIMIT) this.#seen.clear();
    this.#seen.add(key);
    this.#recorder.record(event);
  }
}

function podSteps(commit: ObservedChange, pod: Pod, before: Pod | undefined): NewEvent[] {
  const { metadata, spec, status } = pod;
  const workload = metadata.labels?.[WORKLOAD_LABEL];
  const node = spec.nodeName;
  const step = (to: Extract<NewEvent, { type: 'pod' }>['to'], reason?: string): NewEvent => ({
    type: 'pod',
    pod: `${metadata.namespace}/${metadata.name}`,
    uid: metadata.uid ?? '',
    ...defined({ workload }),
    to,
    ...defined({ node, reason }),
  });
  if (commit.type === 'DELETED') return [step('gone', status?.reason)];
  const steps: NewEvent[] = [];
  if (before === undefined) steps.push(step('created'));
  const scheduled = conditionOf(pod, 'PodScheduled');
  const wasUnschedulable = before !== undefined && conditionOf(before, 'PodScheduled')?.status === 'False';
  if (scheduled?.status === 'False' && !wasUnschedulable) steps.push(step('unschedulable', scheduled.message));
  if (node !== undefined && before?.spec.nodeName === undefined) steps.push(step('scheduled'));
  if (status?.phase === 'Running' && before?.status?.phase !== 'Running') steps.push(step('running'));
  if (hasEnded(pod) && metadata.deletionTimestamp === undefined && (before === undefined || !hasEnded(before)))
    steps.push(step('ended', status?.phase));
  if (began(pod, before)) steps.push(step('terminating', conditionOf(pod, 'DisruptionTarget')?.reason));
  return steps;
}

function nodeSteps(commit: ObservedChange, node: Node, before: Node | undefined): NewEvent[] {
  const { metadata, spec } = node;
  const providerId = spec?.providerID ?? '';
  const instance = parseProviderId(providerId);
  const zone = metadata.labels?.[LABEL.zone];
  const step = (to: Extract<NewEvent, { type: 'node' }>['to'], reason?: string): NewEvent => ({
    type: 'node',
    node: metadata.name ?? '',
    uid: metadata.uid ?? '',
    to,
    ...(providerId === '' ? {} : { providerId }),
    ...defined({ instance, zone, reason }),
    ...(to === 'ready' ? { ...allocatableOf(node), ...defined({ pool: namedPool(metadata.labels) }) } : {}),
  });
  if (commit.type === 'DELETED') return [step('gone')];
  const steps: NewEvent[] = [];
  if (before === undefined) steps.push(step('created'));
  const ready = conditionOf(node, 'Ready');
  const wasReady = before !== undefined && conditionOf(before, 'Ready')?.status === 'True';
  if (ready?.status === 'True' && !wasReady) steps.push(step('ready'));
  if (ready?.status !== 'True' && wasReady) steps.push(step('not-ready', ready?.reason));
  // The instance of a Node may be known only later: then its state is recorded again, with the instance.
  const isNamed = before !== undefined && (before.spec?.providerID ?? '') === '' && providerId !== '';
  if (isNamed && steps.length === 0) steps.push(step(ready?.status === 'True' ? 'ready' : 'created'));
  const wasCordoned = before !== undefined && isCordoned(before);
  if (isCordoned(node) !== wasCordoned) steps.push(step(wasCordoned ? 'uncordoned' : 'cordoned'));
  const hadOptedOut = before !== undefined && hasOptedOutOfAll(before);
  if (hasOptedOutOfAll(node) !== hadOptedOut) steps.push(step(hadOptedOut ? 'opted-in' : 'opted-out'));
  if (began(node, before)) steps.push(step('terminating'));
  return steps;
}

const CLAIM_CONDITIONS = [
  ['Launched', 'launched'],
  ['Registered', 'registered'],
  ['Initialized', 'initialized'],
] as const;

function claimSteps(commit: ObservedChange, claim: ApiObject, before: ApiObject | undefined): NewEvent[] {
  const { metadata } = claim;
  const status = (claim.status ?? {}) as { providerID?: string; nodeName?: string };
  const instance = parseProviderId(status.providerID);
  const step = (to: Extract<NewEvent, { type: 'claim' }>['to'], reason?: string): NewEvent => ({
    type: 'claim',
    claim: metadata.name ?? '',
    uid: metadata.uid ?? '',
    to,
    ...defined({ instance }),
    ...((status.nodeName ?? '') === '' ? {} : { node: status.nodeName }),
    ...defined({ reason }),
  });
  if (commit.type === 'DELETED') return [step('gone')];
  const steps: NewEvent[] = [];
  if (before === undefined) steps.push(step('created'));
  for (const [type, to] of CLAIM_CONDITIONS) {
    const was = before !== undefined && conditionOf(before, type)?.status === 'True';
    if (conditionOf(claim, type)?.status === 'True' && !was) steps.push(step(to));
  }
  if (began(claim, before)) steps.push(step('terminating'));
  return steps;
}

/** Whether the deletion of an object began with this change. */
function began(object: { metadata: ApiObject['metadata'] }, before: { metadata: ApiObject['metadata'] } | undefined): boolean {
  return object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isCordoned({ spec }: Node): boolean {
  return spec?.unschedulable === true || (spec?.taints ?? []).some(isLeavingTaint);
}

/** What a node has for pods, if its kubelet has reported it. */
function allocatableOf({ status }: Node): Pick<EventOf<'node'>, 'allocatable'> {
  const { cpu, memory } = status?.allocatable ?? {};
  return cpu === undefined || memory === undefined ? {} : { allocatable: computeOf(parseResources({ cpu, memory })) };
}

/** The conditions of an object of any resource; those of custom resources may have any shape. */
function conditionsOf(object: object): readonly Condition[] {
  const { status } = object as { status?: { conditions?: unknown } };
  const conditions = status?.conditions;
  return Array.isArray(conditions) ? (conditions.filter(isJsonObject) as unknown as Condition[]) : [];
}

function conditionOf(object: object, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

function nameOf(resource: string, namespace: string | undefined, name: string | undefined): string {
  return formatObject({ resource, ...defined({ namespace: namespace === '' ? undefined : namespace, name }) });
}
