import type { Workload } from '../harness/scenario.ts';
import type { Manifest } from './documents.ts';

/** The kinds that create pods in this world, with their plurals. */
export const WORKLOAD_RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  DaemonSet: 'daemonsets',
  StatefulSet: 'statefulsets',
  Job: 'jobs',
} satisfies Record<Workload['kind'], string>;

export const NODE_POOL = 'karpenter.sh/NodePool';
export const NODE_CLASS = 'karpenter.k8s.aws/EC2NodeClass';
export const NAMESPACE = '/Namespace';
/** Not applied, not even to validate other objects: pods don't need its kinds here. */
export const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';

export const STORAGE_CLASS = 'storage.k8s.io/StorageClass';
export const VOLUME = '/PersistentVolume';
export const CLAIM = '/PersistentVolumeClaim';
export const LIMIT_RANGE = '/LimitRange';
export const QUOTA = '/ResourceQuota';
export const CRON_JOB = 'batch/CronJob';
export const POD_AUTOSCALER = 'autoscaling/HorizontalPodAutoscaler';

/** Kinds that are applied unchanged, with their plurals. */
export const COMPANIONS: Readonly<Record<string, string>> = {
  [NAMESPACE]: 'namespaces',
  'scheduling.k8s.io/PriorityClass': 'priorityclasses',
  'node.k8s.io/RuntimeClass': 'runtimeclasses',
  [LIMIT_RANGE]: 'limitranges',
  [QUOTA]: 'resourcequotas',
  [STORAGE_CLASS]: 'storageclasses',
  [VOLUME]: 'persistentvolumes',
  [CLAIM]: 'persistentvolumeclaims',
  'policy/PodDisruptionBudget': 'poddisruptionbudgets',
};

/** Why kinds are not applied although pods depend on them. */
export const UNAPPLIED: Readonly<Record<string, string>> = {
  '/Pod': 'nothing replaces a bare pod',
  '/ReplicationController': 'this world does not run it; use a Deployment',
  'karpenter.sh/NodeClaim': 'the target creates its own',
  'argoproj.io/Rollout': 'this world does not run it; use a Deployment',
};

/** The API group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return group;
}

/** A kind with its group, without the version: `apps/Deployment`, `/Namespace`. */
export function typeOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

/** Whether a manifest has one of the kinds that create pods in this world. */
export function isWorkload({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  if (typeOf({ apiVersion, kind }) === CRON_JOB) return true;
  return kind in WORKLOAD_RESOURCES && groupOf(apiVersion) === (kind === 'Job' ? 'batch' : 'apps');
}
