import { createHash } from 'node:crypto';
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import { KARPENTER, UNREGISTERED_TAINT, clusterTag, nameOf } from '../api.ts';
import type { EC2NodeClass, NodeClaim } from '../api.ts';
import { LAUNCH_TEMPLATE_CACHE_MS, LAUNCH_TEMPLATE_SETTLE_MS } from '../constants.ts';
import { formatNodeConfig, joinNodeConfigs } from './node-config.ts';
import type { NodeConfigInput } from './node-config.ts';

export type Architecture = InstanceType['architecture'];

/** Launch templates: one for each combination of class, architecture, and the pool's labels and taints. */
export interface LaunchTemplates {
  /** Ensures that the template for these nodes exists. @returns its name */
  ensure(nodeClass: EC2NodeClass, claim: NodeClaim, architecture: Architecture): Promise<string>;
  /** EC2 reported that a known template does not exist: the next `ensure` creates it again, unless it was created just now. */
  distrust(): void;
  /** Deletes all templates of a class. */
  deleteAll(nodeClassName: string): Promise<void>;
}

export function createLaunchTemplates(clock: Clock, ec2: Ec2Client, cluster: ClusterConfig): LaunchTemplates {
  return new HashedTemplates(clock, ec2, cluster);
}

class HashedTemplates implements LaunchTemplates {
  readonly #clock: Clock;
  readonly #ec2: Ec2Client;
  readonly #cluster: ClusterConfig;
  /** By name: when it was last known to exist. Bounded by the number of pools and classes. */
  readonly #known = new Map<string, number>();
  readonly #creating = new Map<string, Promise<void>>();
  /** User data by what it is written from: the same for all claims of a pool. Bounded like the templates. */
  readonly #written = new Map<string, string>();

  constructor(clock: Clock, ec2: Ec2Client, cluster: ClusterConfig) {
    this.#clock = clock;
    this.#ec2 = ec2;
    this.#cluster = cluster;
  }

  async ensure(nodeClass: EC2NodeClass, claim: NodeClaim, architecture: Architecture): Promise<string> {
    const data = this.#templateData(nodeClass, claim, architecture);
    const digest = createHash('sha256')
      .update(JSON.stringify([this.#cluster.name, nameOf(nodeClass), data]))
      .digest('hex');
    const name = `karpenter.k8s.aws/${digest.slice(0, 20)}`;
    const knownAtMs = this.#known.get(name);
    if (knownAtMs !== undefined && this.#clock.monotonicMs() - knownAtMs < LAUNCH_TEMPLATE_CACHE_MS) return name;
    const creating = this.#creating.get(name) ?? this.#create(name, nameOf(nodeClass), data);
    this.#creating.set(name, creating);
    try {
      await creating;
    } finally {
      this.#creating.delete(name);
    }
    return name;
  }

  distrust(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, knownAtMs] of this.#known) if (nowMs - knownAtMs >= LAUNCH_TEMPLATE_SETTLE_MS) this.#known.delete(name);
  }

  async deleteAll(nodeClassName: string): Promise<void> {
    const templates = await this.#ec2.describeLaunchTemplates({
      Filters: [
        { Name: `tag:${clusterTag(this.#cluster.name)}`, Values: ['owned'] },
        { Name: `tag:${KARPENTER.nodeClass}`, Values: [nodeClassName] },
      ],
    });
    for (const { LaunchTemplateName: name } of templates) {
      if (name === undefined) continue;
      this.#known.delete(name);
      try {
        await this.#ec2.deleteLaunchTemplate(name);
      } catch (error) {
        if (!(error instanceof Ec2Error) || !error.code.endsWith('NotFoundException')) throw error;
      }
    }
  }

  #templateData(nodeClass: EC2NodeClass, claim: NodeClaim, architecture: Architecture): RequestLaunchTemplateData {
    const { instanceProfile, kubelet, userData: users } = nodeClass.spec;
    const own = this.#nodeConfig({
      clusterName: this.#cluster.name,
      ...defined({ kubelet }),
      labels: claim.metadata.labels ?? {},
      taints: [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? []), UNREGISTERED_TAINT],
    });
    const userData = users === undefined ? own : joinNodeConfigs([users, own]);
    return {
      ImageId: this.#cluster.imageIds[architecture],
      SecurityGroupIds: [this.#cluster.securityGroupId],
      UserData: Buffer.from(userData).toString('base64'),
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
      ...defined({ IamInstanceProfile: instanceProfile === undefined ? undefined : { Name: instanceProfile } }),
    };
  }

  #nodeConfig(input: NodeConfigInput): string {
    const key = JSON.stringify(input);
    const written = this.#written.get(key) ?? formatNodeConfig(input);
    this.#written.set(key, written);
    return written;
  }

  /** Creating it, or getting AlreadyExists, takes one request; checking first would take two. */
  async #create(name: string, nodeClassName: string, data: RequestLaunchTemplateData): Promise<void> {
    const tags = [
      { Key: clusterTag(this.#cluster.name), Value: 'owned' },
      { Key: KARPENTER.clusterTag, Value: this.#cluster.name },
      { Key: KARPENTER.nodeClass, Value: nodeClassName },
    ];
    try {
      await this.#ec2.createLaunchTemplate({
        LaunchTemplateName: name,
        LaunchTemplateData: data,
        TagSpecifications: [{ ResourceType: 'launch-template', Tags: tags }],
      });
    } catch (error) {
      if (!(error instanceof Ec2Error) || error.code !== 'InvalidLaunchTemplateName.AlreadyExistsException') throw error;
    }
    this.#known.set(name, this.#clock.monotonicMs());
  }
}
