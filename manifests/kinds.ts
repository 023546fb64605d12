import type { Manifest } from './documents.ts';
import { WORKLOAD_RESOURCES } from './workloads.ts';

export const NODE_POOL = 'karpenter.sh/NodePool';
export const NODE_CLASS = 'karpenter.k8s.aws/EC2NodeClass';
export const NAMESPACE = '/Namespace';
/** Not applied, not even to check others by it: what it defines no pod needs here. */
export const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';

/** Kinds that are applied as they are, with their plurals. */
export const COMPANIONS: Readonly<Record<string, string>> = {
  [NAMESPACE]: 'namespaces',
  'scheduling.k8s.io/PriorityClass': 'priorityclasses',
  'node.k8s.io/RuntimeClass': 'runtimeclasses',
  'policy/PodDisruptionBudget': 'poddisruptionbudgets',
};

/** What is not applied although pods depend on it: why. */
export const UNAPPLIED: Readonly<Record<string, string>> = {
  '/Pod': 'nothing brings a bare pod back',
  '/ReplicationController': 'nobody here runs it; a Deployment takes its place',
  '/LimitRange': 'its defaults and limits are not put on pods; write them into the pods',
  '/ResourceQuota': 'nobody here counts what a namespace uses',
  'batch/CronJob': 'its times are not those of a trial; a Job of the same template can stand for it',
  'autoscaling/HorizontalPodAutoscaler': 'replicas are what the workload says; write the number that you want to test',
  'karpenter.sh/NodeClaim': 'the target makes its own',
  'argoproj.io/Rollout': 'nobody here runs it; a Deployment can stand for it',
};

/** The API group of an `apiVersion`; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return group;
}

/** A kind within its group, whatever the version: `apps/Deployment`, `/Namespace`. */
export function typeOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${groupOf(apiVersion)}/${kind}`;
}

/** Whether a manifest is of one of the kinds that make pods here. */
export function isWorkload({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): boolean {
  return kind in WORKLOAD_RESOURCES && groupOf(apiVersion) === (kind === 'Job' ? 'batch' : 'apps');
}
