import type { ClusterConfig } from './cluster.ts';

/** Identifies the run of a process: everything that a run starts outside of its own process has it. */
export const RUN_VARIABLE = 'SCALEPROOF_RUN';

/** Variables with the addresses of the cluster and AWS, by the names that clients and SDKs read. */
export const ENDPOINT_VARIABLES = ['KUBECONFIG', 'CLUSTER_ENDPOINT', 'AWS_ENDPOINT_URL'] as const;

/** Variables with what an operator would tell an autoscaler about its cluster. */
export const CLUSTER_VARIABLES = [
  'AWS_REGION',
  /** boto3 reads this instead of AWS_REGION. */
  'AWS_DEFAULT_REGION',
  'CLUSTER_NAME',
  'SUBNETS',
  'SECURITY_GROUP_ID',
  'IMAGE_IDS',
  /** Empty without a queue. */
  'INTERRUPTION_QUEUE_URL',
  'INTERRUPTION_QUEUE_NAME',
] as const;

/**
 * SDKs sign with the first keys that they find; given these, they don't search further for real ones.
 */
export const DUMMY_ACCOUNT = {
  AWS_ACCESS_KEY_ID: 'scaleproof',
  AWS_SECRET_ACCESS_KEY: 'scaleproof',
  AWS_EC2_METADATA_DISABLED: 'true',
} as const;

export type ClusterVariable = (typeof CLUSTER_VARIABLES)[number];

/** The environment of an external program: both endpoints, the cluster, and keys that are not real. */
export type ProgramEnvironment = Readonly<
  Record<(typeof ENDPOINT_VARIABLES)[number] | ClusterVariable | keyof typeof DUMMY_ACCOUNT, string>
>;

/** The cluster's configuration as variables: `SUBNETS` and `IMAGE_IDS` are KEY=VALUE pairs, comma-separated. */
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
