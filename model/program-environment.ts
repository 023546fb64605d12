import type { ClusterConfig } from './cluster.ts';

/** Names the run that a process belongs to: everything that a run starts outside of its own process carries it. */
export const RUN_VARIABLE = 'SCALEPROOF_RUN';

/** Variables that name where a program finds the cluster and AWS, by the names that clients and SDKs read. */
export const ENDPOINT_VARIABLES = ['KUBECONFIG', 'CLUSTER_ENDPOINT', 'AWS_ENDPOINT_URL'] as const;

/** Variables that say what an autoscaler's operator would tell it about its cluster. */
export const CLUSTER_VARIABLES = [
  'AWS_REGION',
  /** What boto3 reads in place of AWS_REGION. */
  'AWS_DEFAULT_REGION',
  'CLUSTER_NAME',
  'SUBNETS',
  'SECURITY_GROUP_ID',
  'IMAGE_IDS',
  /** Empty where nobody set up a queue. */
  'INTERRUPTION_QUEUE_URL',
  'INTERRUPTION_QUEUE_NAME',
] as const;

/**
 * SDKs sign with whatever keys they find; with these they look no further, least of all for real ones.
 */
export const DUMMY_ACCOUNT = {
  AWS_ACCESS_KEY_ID: 'scaleproof',
  AWS_SECRET_ACCESS_KEY: 'scaleproof',
  AWS_EC2_METADATA_DISABLED: 'true',
} as const;

export type ClusterVariable = (typeof CLUSTER_VARIABLES)[number];

/** Everything that a program outside is started with: both endpoints, the cluster, keys that sign nothing real. */
export type ProgramEnvironment = Readonly<
  Record<(typeof ENDPOINT_VARIABLES)[number] | ClusterVariable | keyof typeof DUMMY_ACCOUNT, string>
>;

/** The cluster's configuration as variables: `SUBNETS` and `IMAGE_IDS` are KEY=VALUE pairs, separated by commas. */
export function clusterVariables(cluster: ClusterConfig): Readonly<Record<ClusterVariable, string>> {
  const queueUrl = cluster.interruptionQueueUrl ?? '';
  return {
    AWS_REGION: cluster.region,
    AWS_DEFAULT_REGION: cluster.region,
    CLUSTER_NAME: cluster.name,
    SUBNETS: formatPairs(cluster.subnets),
    SECURITY_GROUP_ID: cluster.securityGroupId,
    IMAGE_IDS: formatPairs(cluster.imageIds),
    INTERRUPTION_QUEUE_URL: queueUrl,
    INTERRUPTION_QUEUE_NAME: queueUrl.slice(queueUrl.lastIndexOf('/') + 1),
  };
}

function formatPairs(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
