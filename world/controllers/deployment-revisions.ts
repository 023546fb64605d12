import type { Deployment, ReplicaSet } from '../../model/kube.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, compareAges } from './rollout.ts';
import { equalTemplates } from './template-hash.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** Maximum length of the revision history, in characters. */
const MAX_HISTORY_LENGTH = 2000;

/** Annotations of a Deployment that its ReplicaSets don't get. */
const KEPT_BACK: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
];

/** The ReplicaSet with the Deployment's template, the oldest if several have it; and all others, oldest first. */
export function revisionsOf(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly current: ReplicaSet | undefined; readonly old: readonly ReplicaSet[] } {
  const sorted = [...sets].sort(compareAges);
  const current = sorted.find(({ spec }) => equalTemplates(spec.template, deployment.spec.template));
  return { current, old: sorted.filter((set) => set !== current) };
}

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

/** The revision that the newest ReplicaSet should have. */
export function nextRevision(old: readonly ReplicaSet[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

/** The annotations that the newest ReplicaSet should have (`SetNewReplicaSetAnnotations`). */
export function newestAnnotations(
  deployment: Deployment,
  present: Readonly<Record<string, string>> | undefined,
  revision: number,
): Readonly<Record<string, string>> {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !KEPT_BACK.includes(key));
  const annotations: Record<string, string> = { ...present, ...Object.fromEntries(copied) };
  const before = present?.[REVISION];
  if (Number(before ?? 0) >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (before !== undefined) {
    // The ReplicaSet is reused: keep its former revision.
    const history = [...(present?.[REVISION_HISTORY] ?? '').split(',').filter((one) => one !== ''), before];
    while (history.join(',').length > MAX_HISTORY_LENGTH) history.shift();
    annotations[REVISION_HISTORY] = history.join(',');
  }
  return annotations;
}
