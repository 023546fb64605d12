import type { ClusterConfig } from '../../model/cluster.ts';
import type { Effect, Operation } from '../../model/operation.ts';
import { ERROR_TYPE_HEADER, describeError } from '../../protocols/aws-json/codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { clusterTags } from './cluster-tags.ts';
import { drawUuid } from './ids.ts';
import { KUBERNETES_MINOR } from './kubernetes-version.ts';
import { ACCOUNT_ID } from './operation.ts';

/** Requests have no header or parameter that names the service, so their paths identify it. */
export const EKS_PATH = /^\/clusters(\/|\?|$)/;
const DESCRIBE_CLUSTER = 'DescribeCluster';
const CLUSTER_PATH = /^\/clusters\/([^/?]+)$/;
/** EKS gives a cluster one of two service CIDRs. Source: "KubernetesNetworkConfigRequest" of its API reference. */
const SERVICE_CIDR = '172.20.0.0/16';
const PLATFORM_VERSION = 'eks.9';
const CERTIFICATE_HEX = 600;
const NOTHING: Effect = { kind: 'none' };

/** The dependencies of EKS. */
interface EksSite {
  readonly cluster: ClusterConfig;
  readonly clock: Clock;
  /** Source of the cluster's names and of request ids. */
  readonly random: Random;
}

/** Age of the cluster when the world starts. */
const AGE_MS = 30 * 24 * 3_600_000;

/**
 * Serves DescribeCluster of EKS for the only cluster. Its endpoint and certificate authority are made up: autoscalers are configured
 * with the API server's address.
 */
export class EksBackend implements Backend {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #name: string;
  readonly #cluster: object;

  constructor({ cluster, clock, random }: EksSite) {
    this.#clock = clock;
    this.#random = random.fork('request ids');
    this.#name = cluster.name;
    this.#cluster = writeCluster(cluster, clock.nowMs() - AGE_MS, random.fork('cluster'));
  }

  /** The names of its operations. */
  get operations(): readonly string[] {
    return [DESCRIBE_CLUSTER];
  }

  describe({ method, path }: WireRequest): Operation {
    const name = namedCluster(method, path);
    if (name === undefined) return { wire: 'aws', name: 'unknown', mutating: method !== 'GET' };
    return { wire: 'aws', name: `eks:${DESCRIBE_CLUSTER}`, mutating: false, input: { name } };
  }

  async handle({ method, path }: WireRequest): Promise<Answer> {
    return Promise.resolve(this.#answer(namedCluster(method, path)));
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const { headers, ...rest } = this.#refusal(status, code, message);
    return { ...rest, headers: retryAfterSeconds === undefined ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) } };
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeError(asText(body));
  }

  #answer(name: string | undefined): Answer {
    const reject = (status: number, code: string, message: string): Answer => ({
      ...this.#refusal(status, code, message),
      effect: { kind: 'rejected', code },
    });
    if (name === undefined) return reject(403, 'AccessDeniedException', 'Unable to determine service/operation name to be authorized');
    if (name !== this.#name) return reject(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`);
    return { status: 200, headers: this.#headers(), body: JSON.stringify({ cluster: this.#cluster }), effect: NOTHING };
  }

  #refusal(status: number, code: string, message: string): WireResponse {
    const body = JSON.stringify({ __type: code, message });
    return { status, headers: { ...this.#headers(), [ERROR_TYPE_HEADER]: code }, body };
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': drawUuid(this.#random),
      'content-type': 'application/json',
      date: new Date(this.#clock.nowMs()).toUTCString(),
    };
  }
}

/** The cluster that a request names; undefined for any other request. */
function namedCluster(method: string, path: string): string | undefined {
  const encoded = method === 'GET' ? CLUSTER_PATH.exec(path)?.[1] : undefined;
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** In the shape of the SDK's `Cluster`. Times are seconds. */
function writeCluster(cluster: ClusterConfig, createdAtMs: number, random: Random): object {
  const { name, region, subnets, securityGroupId } = cluster;
  const id = random.hex(32).toUpperCase();
  const certificate = Buffer.from(random.hex(CERTIFICATE_HEX), 'hex').toString('base64');
  return {
    name,
    arn: `arn:aws:eks:${region}:${ACCOUNT_ID}:cluster/${name}`,
    createdAt: createdAtMs / 1_000,
    version: KUBERNETES_MINOR,
    endpoint: `https://${id}.gr7.${region}.eks.amazonaws.com`,
    roleArn: `arn:aws:iam::${ACCOUNT_ID}:role/${name}-cluster`,
    resourcesVpcConfig: {
      subnetIds: Object.values(subnets),
      securityGroupIds: [],
      clusterSecurityGroupId: securityGroupId,
      endpointPublicAccess: true,
      endpointPrivateAccess: true,
      publicAccessCidrs: ['0.0.0.0/0'],
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: SERVICE_CIDR, ipFamily: 'ipv4', elasticLoadBalancing: { enabled: false } },
    logging: { clusterLogging: [{ types: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'], enabled: false }] },
    identity: { oidc: { issuer: `https://oidc.eks.${region}.amazonaws.com/id/${id}` } },
    status: 'ACTIVE',
    certificateAuthority: {
      data: Buffer.from(`-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`).toString('base64'),
    },
    platformVersion: PLATFORM_VERSION,
    tags: clusterTags(cluster),
    health: { issues: [] },
    accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    upgradePolicy: { supportType: 'STANDARD' },
    deletionProtection: false,
  };
}
