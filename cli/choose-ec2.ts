import { UsageError } from './usage-error.ts';

/** The values of `--ec2`. */
export const EC2_KINDS = ['localstack', 'embedded'] as const;

/** The environment variable with the URL of a running LocalStack. */
export const ENDPOINT_VARIABLE = 'LOCALSTACK_ENDPOINT';

/** Where machines and messages are: in a LocalStack that runs already, in the run's own LocalStack, or in memory. */
export type Ec2Choice = { readonly kind: 'embedded' } | { readonly kind: 'localstack'; readonly endpoint?: string };

/** The flags that choose where machines are. */
export interface Ec2Flags {
  readonly ec2?: (typeof EC2_KINDS)[number] | undefined;
  readonly awsEndpoint?: string | undefined;
}

/**
 * Where machines are in the world of a real cluster: what the flags name; else a LocalStack of the run's own for a kind cluster, and
 * memory for an existing cluster.
 * @throws UsageError when flags contradict each other or an address is not valid
 */
export function chooseEc2(
  world: 'kind' | 'existing',
  { ec2, awsEndpoint }: Ec2Flags,
  environment: NodeJS.ProcessEnv = process.env,
): Ec2Choice {
  const isAsked = ec2 === 'localstack' || awsEndpoint !== undefined;
  if (ec2 === 'embedded' && awsEndpoint !== undefined)
    throw new UsageError('--aws-endpoint names a LocalStack, but --ec2 embedded uses none: use only one of them');
  if (ec2 === 'embedded' || (world === 'existing' && !isAsked)) return { kind: 'embedded' };
  const fromVariable = environment[ENDPOINT_VARIABLE];
  const endpoint = awsEndpoint ?? (fromVariable === '' ? undefined : fromVariable);
  if (endpoint === undefined) {
    if (world === 'existing')
      throw new UsageError(`--ec2 localstack needs --aws-endpoint URL, or ${ENDPOINT_VARIABLE}, in --world existing`);
    return { kind: 'localstack' };
  }
  if (!isHttpUrl(endpoint)) {
    const source = awsEndpoint === undefined ? ENDPOINT_VARIABLE : '--aws-endpoint';
    throw new UsageError(`${source} ${endpoint}: not the URL of a LocalStack, such as http://127.0.0.1:4566`);
  }
  return { kind: 'localstack', endpoint: endpoint.replace(/\/$/, '') };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
