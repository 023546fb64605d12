import { createHash } from 'node:crypto';
import type { AutoScalingGroup, CreateAutoScalingGroupType } from '@aws-sdk/client-auto-scaling';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { createAutoScalingClient } from '../../clients/auto-scaling.ts';
import type { AutoScalingClient } from '../../clients/auto-scaling.ts';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import { createEc2Client } from '../../clients/ec2.ts';
import { createKubeClient } from '../../clients/kube.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { clusterTag } from '../../controller/api.ts';
import { formatNodeConfig } from '../../controller/launch/node-config.ts';
import type { Pool } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import { ZONES, loadCatalogue } from '../../model/instance-catalogue.ts';
import { GROUP_POOL_LABEL } from '../../model/kube.ts';
import type { KubeObject } from '../../model/kube.ts';
import { applyManifests, removeManifest } from '../command/apply.ts';
import type { Manifest } from '../command/apply.ts';
import { MANAGED_TAG } from '../node-termination-handler/node-termination-handler.ts';
import type { Target, TargetSite } from '../target.ts';
import { nodeGroupsOf } from './node-groups.ts';
import type { NodeGroup } from './node-groups.ts';

/** The definition of limits of several groups together. */
export function isQuotaDefinition({ metadata }: Manifest): boolean {
  return metadata.name === 'capacityquotas.autoscaling.x-k8s.io';
}

/** What its operator does. */
type Operations = Pick<Target, 'install' | 'applyPools' | 'removePools' | 'countGroups'>;

/** Groups with both tags are found by `--node-group-auto-discovery`. */
export function discoveryTags(cluster: string): readonly string[] {
  return ['k8s.io/cluster-autoscaler/enabled', `k8s.io/cluster-autoscaler/${cluster}`];
}

/** The configuration of `--expander=priority`. Source: cluster-autoscaler/expander/priority/readme.md */
const PRIORITIES = { namespace: 'kube-system', name: 'cluster-autoscaler-priority-expander' } as const;

/** The tag of a group with what describes its nodes before it has any. Source: cluster-autoscaler/cloudprovider/aws/README.md */
const TEMPLATE_TAG = 'k8s.io/cluster-autoscaler/node-template';

/** It only waits for the end of taints that its flags name, or with this prefix. Source: cluster-autoscaler/FAQ.md, "--startup-taint" */
const STARTUP_TAINT_PREFIX = 'startup-taint.cluster-autoscaler.kubernetes.io/';

/** How long a group of the same name may take to be deleted: as long as its instances need to shut down. */
const DELETION_LIMIT_MS = 15 * 60_000;
const DELETION_POLL_MS = 5_000;

/** What a node has for pods of its root volume of 20 GiB, as it reports it. */
const EPHEMERAL_STORAGE = '17Gi';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

/** Patterns of names by priority. */
const prioritiesSchema = z.record(z.string(), z.array(z.string()));

/**
 * Pools as Auto Scaling groups with their launch templates, as the operator of a cluster makes them; and their limits as CapacityQuotas.
 * @param definitions the CustomResourceDefinitions of the version; without that of quotas only the sizes of groups are limited
 */
export function groupOperations(definitions: () => readonly Manifest[]): Operations {
  const hasQuotas = (): boolean => definitions().some(isQuotaDefinition);
  return {
    install: async (site) => {
      await applyManifests(site, definitions());
      await applyManifests(site, [prioritiesOf(new Map())]);
    },
    applyPools: (site, pools) =>
      asOperator(site, async (operator) => {
        const limitsPools = hasQuotas();
        for (const pool of pools) {
          if (limitsPools) await (pool.limits === undefined ? removeManifest(site, quotaOf(pool)) : applyManifests(site, [quotaOf(pool)]));
          await applyPool(operator, pool);
        }
        await updatePriorities(operator, groupsOf(site, pools));
      }),
    countGroups: (pools) => nodeGroupsOf(pools, { cluster: '', zones: ZONES, types: loadCatalogue().types.values() }).length,
    removePools: (site, pools) =>
      asOperator(site, async (operator) => {
        const limitsPools = hasQuotas();
        for (const pool of pools) {
          if (limitsPools) await removeManifest(site, quotaOf(pool));
          const groups = await operator.groups.groupsWith(tagsOfPool(site, pool.name));
          for (const group of groups) if (!isDeleting(group)) await removeGroup(operator, group);
        }
      }),
  };
}

/** The operator's clients. */
interface Operator {
  readonly site: TargetSite;
  readonly ec2: Ec2Client;
  readonly groups: AutoScalingClient;
}

async function asOperator(site: TargetSite, work: (operator: Operator) => Promise<void>): Promise<void> {
  const { runtime, aws, cluster } = site;
  const options = { wire: aws, clock: runtime.clock, random: runtime.random, region: cluster.region };
  const operator = { site, ec2: createEc2Client(options), groups: createAutoScalingClient(options) };
  try {
    await work(operator);
  } finally {
    operator.ec2.destroy();
    operator.groups.destroy();
  }
}

function groupsOf({ cluster }: TargetSite, pools: readonly Pool[]): NodeGroup[] {
  return nodeGroupsOf(pools, { cluster: cluster.name, zones: Object.keys(cluster.subnets), types: loadCatalogue().types.values() });
}

/** Creates and updates the groups of a pool. Those that it no longer allows may only shrink. */
async function applyPool(operator: Operator, pool: Pool): Promise<void> {
  const { site, groups } = operator;
  const existing = new Map((await lastingGroups(operator, pool)).map((group) => [group.AutoScalingGroupName ?? '', group]));
  for (const group of groupsOf(site, [pool])) {
    const input = await inputOf(operator, group);
    const before = existing.get(group.name);
    existing.delete(group.name);
    if (before === undefined) await groups.createGroup(input);
    else {
      const { Tags = [], ...rest } = input;
      await groups.updateGroup({ ...rest, MinSize: group.minSize });
      await groups.tag(Tags);
      if (templateOf(before) !== templateOf(input)) await removeTemplate(operator, before);
    }
  }
  for (const name of existing.keys()) {
    // The autoscaler may have changed its size in the meantime.
    const now = (await groups.groupsWith(tagsOfPool(site, pool.name))).find((one) => one.AutoScalingGroupName === name);
    if (now !== undefined) await groups.updateGroup({ AutoScalingGroupName: name, MinSize: 0, MaxSize: now.DesiredCapacity });
  }
}

/** The groups of a pool, once those that were being deleted are gone: until then none of the same name can be created. */
async function lastingGroups({ site, groups }: Operator, pool: Pool): Promise<AutoScalingGroup[]> {
  const { clock } = site.runtime;
  const untilMs = clock.nowMs() + DELETION_LIMIT_MS;
  for (;;) {
    const found = await groups.groupsWith(tagsOfPool(site, pool.name));
    const going = found.find(isDeleting);
    if (going === undefined) return found;
    if (clock.nowMs() >= untilMs)
      throw new Error(`group ${going.AutoScalingGroupName ?? ''} is still being deleted after ${DELETION_LIMIT_MS / 60_000} minutes`);
    await clock.sleep(DELETION_POLL_MS);
  }
}

/** Source: "AutoScalingGroup" of the API: it has a status only while it is being deleted. */
function isDeleting({ Status }: AutoScalingGroup): boolean {
  return Status !== undefined;
}

async function removeGroup(operator: Operator, group: AutoScalingGroup): Promise<void> {
  await operator.groups.deleteGroup(group.AutoScalingGroupName ?? '');
  await removeTemplate(operator, group);
}

async function removeTemplate({ ec2 }: Operator, group: AutoScalingGroup): Promise<void> {
  const template = templateOf(group);
  try {
    if (template !== undefined) await ec2.deleteLaunchTemplate(template);
  } catch (error) {
    if (!(error instanceof Ec2Error) || !error.code.endsWith('NotFoundException')) throw error;
  }
}

function templateOf({ MixedInstancesPolicy }: Pick<AutoScalingGroup, 'MixedInstancesPolicy'>): string | undefined {
  return MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification?.LaunchTemplateName;
}

async function inputOf(operator: Operator, group: NodeGroup): Promise<CreateAutoScalingGroupType> {
  const { cluster } = operator.site;
  const { name, zone, capacityType, instanceTypes, minSize, maxSize } = group;
  return {
    AutoScalingGroupName: name,
    MinSize: minSize,
    MaxSize: maxSize,
    VPCZoneIdentifier: cluster.subnets[zone] ?? '',
    MixedInstancesPolicy: {
      LaunchTemplate: {
        LaunchTemplateSpecification: { LaunchTemplateName: await ensureTemplate(operator, group), Version: '$Default' },
        Overrides: instanceTypes.map(({ type }) => ({ InstanceType: type })),
      },
      InstancesDistribution: {
        OnDemandAllocationStrategy: 'lowest-price',
        OnDemandBaseCapacity: 0,
        OnDemandPercentageAboveBaseCapacity: capacityType === 'spot' ? 0 : 100,
        SpotAllocationStrategy: 'price-capacity-optimized',
      },
    },
    Tags: tagsOf(operator.site, group),
  };
}

/** A template is never changed: its name says what it has. */
async function ensureTemplate({ ec2, site: { cluster } }: Operator, group: NodeGroup): Promise<string> {
  const { arch, labels, taints, startupTaints, settings: { kubelet, userDataLabels = {} } = {} } = group;
  const userData = formatNodeConfig({
    clusterName: cluster.name,
    labels: { ...labels, ...userDataLabels },
    taints: [...taints, ...startupTaints.map((taint) => ({ ...taint, key: startupKey(taint.key) }))],
    ...defined({ kubelet }),
  });
  const data = {
    ImageId: cluster.imageIds[arch === 'amd64' ? 'x86_64' : 'arm64'],
    SecurityGroupIds: [cluster.securityGroupId],
    IamInstanceProfile: { Name: `${cluster.name}-nodes` },
    MetadataOptions: { HttpTokens: 'required' as const, HttpPutResponseHopLimit: 1 },
    UserData: Buffer.from(userData).toString('base64'),
  };
  const name = `${group.name}-${createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, 8)}`;
  try {
    await ec2.createLaunchTemplate({ LaunchTemplateName: name, LaunchTemplateData: data });
  } catch (error) {
    if (!(error instanceof Ec2Error) || error.code !== 'InvalidLaunchTemplateName.AlreadyExistsException') throw error;
  }
  return name;
}

/** The agents of a cluster with Cluster Autoscaler use keys that it recognizes. */
function startupKey(key: string): string {
  return `${STARTUP_TAINT_PREFIX}${key.slice(key.indexOf('/') + 1)}`;
}

function tagsOf({ cluster }: TargetSite, { name, pool, labels, taints }: NodeGroup): NonNullable<CreateAutoScalingGroupType['Tags']> {
  const tag = (Key: string, Value: string, PropagateAtLaunch = false): NonNullable<CreateAutoScalingGroupType['Tags']>[number] => {
    return { ResourceId: name, ResourceType: 'auto-scaling-group', Key, Value, PropagateAtLaunch };
  };
  return [
    ...discoveryTags(cluster.name).map((key) => tag(key, 'true')),
    tag(clusterTag(cluster.name), 'owned', true),
    tag(GROUP_POOL_LABEL, pool, true),
    tag(MANAGED_TAG, '', true),
    tag(`${TEMPLATE_TAG}/resources/ephemeral-storage`, EPHEMERAL_STORAGE),
    ...Object.entries(labels).map(([key, value]) => tag(`${TEMPLATE_TAG}/label/${key}`, value)),
    ...taints.map(({ key, value = '', effect }) => tag(`${TEMPLATE_TAG}/taint/${key}`, `${value}:${effect}`)),
  ];
}

function tagsOfPool({ cluster }: TargetSite, pool: string): Record<string, string> {
  return { [clusterTag(cluster.name)]: 'owned', [GROUP_POOL_LABEL]: pool };
}

/** A pool's limits on all of its nodes together. Source: cluster-autoscaler/proposals/granular-resource-limits.md */
function quotaOf({ name, limits: { cpu, memoryMiB, nodes } = {} }: Pool): Manifest {
  const memory = memoryMiB === undefined ? undefined : `${memoryMiB}Mi`;
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1alpha1',
    kind: 'CapacityQuota',
    metadata: { name },
    spec: { selector: { matchLabels: { [GROUP_POOL_LABEL]: name } }, limits: { resources: defined({ cpu, memory, nodes }) } },
  } as Manifest;
}

/** Adds groups to the expander's configuration. Names of groups that are gone match nothing and may stay. */
async function updatePriorities({ site }: Operator, groups: readonly NodeGroup[]): Promise<void> {
  const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
  const config = await kube.get<ConfigMap>({ type: RESOURCES.configmaps, ...PRIORITIES });
  const before = prioritiesSchema.parse(parse(config?.data?.['priorities'] ?? '{}'));
  const patterns = new Map(
    Object.entries(before).flatMap(([priority, some]) => some.map((pattern) => [pattern, Number(priority)] as const)),
  );
  for (const { name, priority } of groups) patterns.set(`^${name.replaceAll('.', '\\.')}$`, priority);
  await applyManifests(site, [prioritiesOf(patterns)]);
}

/** Its keys must be numbers: releases before 1.35 refuse quoted ones, as JSON has them, and then know no priorities. */
function prioritiesOf(patterns: ReadonlyMap<string, number>): Manifest {
  const byPriority = Map.groupBy(patterns.keys(), (pattern) => patterns.get(pattern));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: PRIORITIES,
    data: { priorities: stringify(byPriority) },
  } as Manifest;
}
