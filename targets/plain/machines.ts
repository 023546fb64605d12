import { createHash } from 'node:crypto';
import type { CreateFleetCommandInput, Instance } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { toShape } from './capacity.ts';
import type { Shape } from './capacity.ts';
import { architectureOf } from './groups.ts';
import type { Group } from './groups.ts';
import type { Launch } from './launches.ts';
import type { Machine } from './machine.ts';

/** The owner of instances and templates: there is no other record. */
const CLUSTER_TAG = 'plain-autoscaler/cluster';
/** The group of an instance. */
const GROUP_TAG = 'plain-autoscaler/group';

/** The result of a launch. `unknown`: there was no response, and it may have happened. */
export type LaunchEnd =
  | { readonly kind: 'answered'; readonly ids: readonly string[]; readonly errors: readonly LaunchError[] }
  | { readonly kind: 'refused' | 'unknown'; readonly errors: readonly LaunchError[] };

export interface LaunchError {
  readonly code: string;
  readonly message: string;
}

/** EC2 as this autoscaler uses it. Everything rejects with an Ec2Error unless stated otherwise. */
export class Machines {
  readonly #ec2: Ec2Client;
  readonly #cluster: ClusterConfig;
  /** Templates that are known to exist. */
  readonly #templates = new Set<string>();
  readonly #shapes = new Map<string, Shape>();

  constructor(ec2: Ec2Client, cluster: ClusterConfig) {
    this.#ec2 = ec2;
    this.#cluster = cluster;
  }

  /** All instances that EC2 lists, including terminated ones. */
  async list(): Promise<Machine[]> {
    const instances = await this.#ec2.describeInstances({ Filters: [this.#mine()] });
    return instances.map(toMachine);
  }

  /** The sizes of types; unknown types are absent. */
  async shapesOf(types: Iterable<string>): Promise<ReadonlyMap<string, Shape>> {
    const unknown = [...new Set(types)].filter((type) => !this.#shapes.has(type));
    if (unknown.length > 0) {
      const found = await this.#ec2.describeInstanceTypes({ Filters: [{ Name: 'instance-type', Values: unknown }] });
      for (const type of found) this.#shapes.set(type.InstanceType ?? '', toShape(type));
    }
    return this.#shapes;
  }

  /** Ensures that the group's template for an architecture exists. @returns its name */
  async ensureTemplate(group: Group, instanceType: string): Promise<string> {
    const data = templateData(group, architectureOf(instanceType), this.#cluster);
    const name = this.#templateName(group, data);
    if (this.#templates.has(name)) return name;
    try {
      await this.#ec2.createLaunchTemplate({
        LaunchTemplateName: name,
        LaunchTemplateData: data,
        TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: CLUSTER_TAG, Value: this.#cluster.name }] }],
      });
    } catch (error) {
      if (!(error instanceof Ec2Error && error.code === 'InvalidLaunchTemplateName.AlreadyExistsException')) throw error;
    }
    this.#templates.add(name);
    return name;
  }

  /** Deletes the templates that no group uses any more. */
  async pruneTemplates(groups: readonly Group[]): Promise<void> {
    const needed = new Set(
      groups.flatMap((group) =>
        (['amd64', 'arm64'] as const).map((architecture) => this.#templateName(group, templateData(group, architecture, this.#cluster))),
      ),
    );
    const templates = await this.#ec2.describeLaunchTemplates({ Filters: [this.#mine()] });
    for (const { LaunchTemplateName: name = '' } of templates) {
      if (needed.has(name)) continue;
      this.#templates.delete(name);
      await this.#ec2.deleteLaunchTemplate(name).catch((error: unknown) => {
        if (!isNoTemplate(error)) throw error;
      });
    }
  }

  /** Sends a launch, or repeats it. Never rejects with an Ec2Error. */
  async launch(launch: Launch): Promise<LaunchEnd> {
    try {
      const { Instances = [], Errors = [] } = await this.#ec2.createFleet(fleetInput(launch, this.#cluster));
      const errors = Errors.map(({ ErrorCode = 'unknown', ErrorMessage = '' }) => ({ code: ErrorCode, message: ErrorMessage }));
      return { kind: 'answered', ids: Instances.flatMap(({ InstanceIds = [] }) => InstanceIds), errors };
    } catch (error) {
      if (!(error instanceof Ec2Error)) throw error;
      if (isNoTemplate(error)) this.#templates.delete(launch.template);
      const mayHaveHappened = error.status === 0 || (error.status >= 500 && !isThrottling(error));
      return { kind: mayHaveHappened ? 'unknown' : 'refused', errors: [error] };
    }
  }

  /** Terminates instances; if one can't be, all others still are. */
  async end(ids: readonly string[]): Promise<void> {
    try {
      await this.#ec2.terminateInstances(ids);
    } catch (error) {
      if (!(error instanceof Ec2Error) || ids.length === 1 || error.status === 0 || error.status >= 500) throw error;
      const ends = await Promise.allSettled(ids.map((id) => this.#ec2.terminateInstances([id])));
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }

  #mine(): { Name: string; Values: string[] } {
    return { Name: `tag:${CLUSTER_TAG}`, Values: [this.#cluster.name] };
  }

  /** The name contains a digest of the content: a template is never changed. */
  #templateName({ name }: Group, data: object): string {
    const digest = createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 12);
    return `plain-${this.#cluster.name}-${name}-${digest}`;
  }
}

/** Whether EC2 throttled: nothing happened, and there is no shortage. */
export function isThrottling({ code }: { readonly code: string }): boolean {
  return /RequestLimitExceeded|Throttl|RequestThrottled/.test(code);
}

/** Whether EC2 denied permission. */
export function isDenied({ code }: { readonly code: string }): boolean {
  return /Unauthorized|AccessDenied|AuthFailure|Expired|InvalidClientTokenId|SignatureDoesNotMatch/.test(code);
}

/** Whether a launch failed because its template is not visible yet, or no longer exists. */
export function isNoTemplate(error: unknown): boolean {
  return error instanceof Object && 'code' in error && /^InvalidLaunchTemplate(Name|Id)\.NotFound/.test(String(error.code));
}

function toMachine({ InstanceId, InstanceType, Placement, State, LaunchTime, Tags }: Instance): Machine {
  const state = State?.Name;
  return {
    id: InstanceId ?? '',
    group: Tags?.find(({ Key }) => Key === GROUP_TAG)?.Value ?? '',
    instanceType: InstanceType ?? '',
    zone: Placement?.AvailabilityZone ?? '',
    state: state === 'pending' || state === 'running' ? 'live' : state === 'stopping' || state === 'stopped' ? 'stopped' : 'over',
    launchedMs: LaunchTime?.getTime() ?? 0,
  };
}

function fleetInput(launch: Launch, cluster: ClusterConfig): CreateFleetCommandInput & { ClientToken: string } {
  const tags = { [CLUSTER_TAG]: cluster.name, [GROUP_TAG]: launch.group, [`kubernetes.io/cluster/${cluster.name}`]: 'owned' };
  return {
    Type: 'instant',
    ClientToken: launch.token,
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: launch.template, Version: '1' },
        Overrides: [{ InstanceType: launch.instanceType as never, SubnetId: cluster.subnets[launch.zone] ?? '' }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: launch.count, DefaultTargetCapacityType: 'on-demand' },
    OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    TagSpecifications: [{ ResourceType: 'instance', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }],
  };
}

type TemplateData = NonNullable<Parameters<Ec2Client['createLaunchTemplate']>[0]['LaunchTemplateData']>;

function templateData(group: Group, architecture: 'amd64' | 'arm64', cluster: ClusterConfig): TemplateData {
  return {
    ImageId: cluster.imageIds[architecture === 'arm64' ? 'arm64' : 'x86_64'],
    UserData: Buffer.from(nodeConfig(group, cluster)).toString('base64'),
    NetworkInterfaces: [{ DeviceIndex: 0, Groups: [cluster.securityGroupId] }],
  };
}

/** AL2023's node configuration. */
function nodeConfig({ labels, taints }: Group, cluster: ClusterConfig): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return JSON.stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: cluster.name },
      kubelet: { config: { registerWithTaints: taints }, flags: [`--node-labels=${pairs.join(',')}`] },
    },
  });
}
