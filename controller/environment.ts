import { z } from 'zod';
import type { AwsCredentials } from '../clients/ec2-sdk.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import { PERIODS } from './periods.ts';
import type { Periods } from './periods.ts';
import { scopeOf } from './scope.ts';
import type { PoolScope } from './scope.ts';

/** The configuration of the autoscaler's process, from its environment. */
export interface ProcessConfig {
  readonly kubeconfig: string;
  readonly ec2Endpoint: string;
  readonly sqsEndpoint: string;
  /** Where metrics and probes are served; undefined to disable. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Whether it works only while it holds a lease. */
  readonly leaderElection: boolean;
  readonly credentials: AwsCredentials | undefined;
  readonly cluster: ClusterConfig;
  readonly periods: Periods;
  /** The pools that it is confined to; undefined for all. */
  readonly pools: PoolScope | undefined;
}

/** Invalid configuration. The message names every invalid variable, one per line. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

const missing = ({ input }: { input?: unknown }): string | undefined => (input === undefined ? 'is missing' : undefined);

/** `us-east-1a=subnet-1,us-east-1b=subnet-2` */
const pairs = z.string({ error: missing }).transform((text, context) => {
  const entries = text.split(',').map((pair) => pair.trim().split('='));
  if (entries.every((entry): entry is [string, string] => entry.length === 2 && entry.every((part) => part !== ''))) {
    return Object.fromEntries(entries);
  }
  context.addIssue({ code: 'custom', message: 'must be KEY=VALUE pairs, separated by commas' });
  return z.NEVER;
});

const text = z.string({ error: missing }).min(1, 'is empty');
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** `8080` on loopback, or `HOST:PORT`. */
const address = text.transform((value, context) => {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(value) ?? [];
  if (port !== '' && Number(port) < 65_536) return { host, port: Number(port) };
  context.addIssue({ code: 'custom', message: 'must be PORT or HOST:PORT' });
  return z.NEVER;
});

/** `default,batch-*` or `!candidate-*` */
const pools = z.string().transform((value, context) => {
  try {
    return scopeOf(value.split(',').map((name) => name.trim()));
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

const environmentSchema = z
  .object({
    KUBECONFIG: text,
    AWS_REGION: text,
    AWS_ENDPOINT_URL: url.optional(),
    AWS_ENDPOINT_URL_EC2: url.optional(),
    AWS_ENDPOINT_URL_SQS: url.optional(),
    /** The URL of the interruption queue. */
    INTERRUPTION_QUEUE_URL: url.optional(),
    METRICS: address.optional(),
    DISABLE_LEADER_ELECTION: z.enum(['true', 'false']).optional(),
    /** Which set of periods to use: `periods.ts`. */
    PERIODS: z.enum(Object.keys(PERIODS) as (keyof typeof PERIODS)[]).optional(),
    /** The NodePools that it handles: `scope.ts`. */
    POOLS: pools.optional(),
    AWS_ACCESS_KEY_ID: text.optional(),
    AWS_SECRET_ACCESS_KEY: text.optional(),
    AWS_SESSION_TOKEN: text.optional(),
    CLUSTER_NAME: text,
    /** Subnet by zone. */
    SUBNETS: pairs,
    SECURITY_GROUP_ID: text,
    /** Image by architecture: x86_64, arm64. */
    IMAGE_IDS: pairs.pipe(z.object({ x86_64: text, arm64: text })),
  })
  .refine((env) => (env.AWS_ACCESS_KEY_ID === undefined) === (env.AWS_SECRET_ACCESS_KEY === undefined), {
    path: ['AWS_SECRET_ACCESS_KEY'],
    message: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together',
  });

/**
 * Reads the process's configuration. `--kubeconfig PATH` takes precedence over the variable KUBECONFIG.
 * @throws ConfigError
 */
export function readProcessConfig(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): ProcessConfig {
  const kubeconfig = readKubeconfigFlag(args) ?? environment['KUBECONFIG'];
  const parsed = environmentSchema.safeParse({ ...environment, KUBECONFIG: kubeconfig });
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const env = parsed.data;
  return {
    kubeconfig: env.KUBECONFIG,
    ec2Endpoint: env.AWS_ENDPOINT_URL_EC2 ?? env.AWS_ENDPOINT_URL ?? `https://ec2.${env.AWS_REGION}.amazonaws.com`,
    sqsEndpoint: env.AWS_ENDPOINT_URL_SQS ?? env.AWS_ENDPOINT_URL ?? `https://sqs.${env.AWS_REGION}.amazonaws.com`,
    metrics: env.METRICS,
    // One replica needs no lease, so this is opt-in.
    leaderElection: env.DISABLE_LEADER_ELECTION === 'false',
    credentials: readCredentials(env),
    periods: PERIODS[env.PERIODS ?? 'standard'],
    pools: env.POOLS,
    cluster: {
      name: env.CLUSTER_NAME,
      region: env.AWS_REGION,
      subnets: env.SUBNETS,
      securityGroupId: env.SECURITY_GROUP_ID,
      imageIds: env.IMAGE_IDS,
      ...defined({ interruptionQueueUrl: env.INTERRUPTION_QUEUE_URL }),
    },
  };
}

function readKubeconfigFlag(args: readonly string[]): string | undefined {
  const [flag, value, ...rest] = args;
  if (flag === undefined) return undefined;
  if (flag !== '--kubeconfig' || value === undefined || rest.length > 0) {
    throw new ConfigError(`the only option is --kubeconfig PATH; got ${args.join(' ')}`);
  }
  return value;
}

function readCredentials(env: z.infer<typeof environmentSchema>): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = env;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...defined({ sessionToken }) };
}
