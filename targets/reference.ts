import { stringify } from 'yaml';
import { createKubeClient } from '../clients/kube.ts';
import { KubeError } from '../clients/kube-client.ts';
import type { KubeClient, ResourceType } from '../clients/kube-client.ts';
import { RESOURCES } from '../clients/resources.ts';
import type { DisruptionReason, EC2NodeClass, NodePool, PoolRequirement } from '../controller/api.ts';
import { BATCH_MAX_MS, OFFERINGS_PER_LAUNCH } from '../controller/constants.ts';
import { createController } from '../controller/controller.ts';
import type { PartsFactory } from '../controller/controller.ts';
import { CRDS } from '../controller/crds.ts';
import { QUICK, STANDARD } from '../controller/periods.ts';
import type { Periods } from '../controller/periods.ts';
import { scopeOf } from '../controller/scope.ts';
import type { PoolScope } from '../controller/scope.ts';
import type { Pool } from '../model/catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import type { DisruptionReason as BudgetReason } from '../model/disruption-budget.ts';
import { LABEL } from '../model/kube.ts';
import type { KubeObject } from '../model/kube.ts';
import type { NodeSettings } from '../model/node-settings.ts';
import { formatBytes } from '../model/quantity.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Wire } from '../wire/wire.ts';
import { exactPatch } from '../clients/exact-patch.ts';
import type { Target, TargetConstants, TargetProcess, TargetSite } from './target.ts';

/** Of a replica's name: enough to tell two apart. */
const IDENTITY_DIGITS = 16;
/** The class of all pools of a run that don't set anything on their nodes. */
const NODE_CLASS = 'default';

/** A simple pool: any type, in any zone, spot or on demand. */
export const ANY_POOL: Pool = {
  name: 'default',
  requirements: [{ key: LABEL.arch, operator: 'In', values: ['amd64'] }],
  labels: {},
  taints: [],
  startupTaints: [],
  weight: 0,
};

const SERVED: readonly ResourceType[] = [RESOURCES.nodepools, RESOURCES.nodeclaims, RESOURCES.ec2nodeclasses];
/** A real API server serves a new resource some moments after its definition was created. */
const SERVED_POLL_MS = 250;
const SERVED_TRIES = 120;

/** The constants that the reference declares with these periods. */
export function constantsOf(periods: Periods): TargetConstants {
  return {
    batchMaxMs: BATCH_MAX_MS,
    retryPeriodMs: periods.pendingRetryMs,
    launchTimeoutMs: periods.launchTimeoutMs,
    registrationTimeoutMs: periods.registrationTimeoutMs,
    collectionMs: periods.collectionMinAgeMs + periods.collectionPeriodMs,
    // A node counts as empty only if no pending pod was nominated to it recently, and this is checked periodically.
    emptyAfterMs: periods.nominationMs + periods.consolidateAfterMs + 2 * periods.disruptionPollMs,
    consolidateAfterMs: periods.consolidateAfterMs,
    terminationMs: periods.terminationMs,
    unavailableOfferingMs: periods.unavailableOfferingMs,
    offeringsPerLaunch: OFFERINGS_PER_LAUNCH,
    // A multi-node plan and then a single-node plan each have to stay valid for their delay; some end between two polls.
    consolidationMs: periods.nominationMs + periods.consolidateAfterMs + 2 * periods.validationMs + 2 * periods.disruptionPollMs,
    driftMs: 2 * periods.validationMs + 2 * periods.disruptionPollMs,
  };
}

/** How a variant of the reference differs from it. */
interface ReferenceVariant {
  readonly name: string;
  readonly summary: string;
  /** By default the correct parts. */
  readonly makeParts?: PartsFactory;
  /** Wraps its wire to AWS; by default that stays unchanged. */
  readonly wrapAws?: (aws: Wire) => Wire;
}

/** The reference, or a variant of it, with normal and short periods. */
export interface ReferenceTarget extends Target {
  /** The same with short periods, named `NAME:quick`: for tests in real time. */
  readonly quick: Target;
}

/** The reference autoscaler as a target, or a variant with other parts. */
export function createReferenceTarget(variant: ReferenceVariant): ReferenceTarget {
  const quick = { ...variant, name: `${variant.name}:quick`, summary: `${variant.summary}; with short periods, for real time` };
  return { ...referenceWith(variant, STANDARD), quick: referenceWith(quick, QUICK) };
}

/** A variant of the reference with these periods. @param scope the pools that it is confined to; by default all */
export function referenceWith(variant: ReferenceVariant, periods: Periods, scope?: PoolScope): Target {
  const target = aloneWith(variant, periods, scope);
  return { ...target, electing: { ...target, start: (site) => electing(site, variant, periods) } };
}

/** As a replica: with an identity of its own. */
function electing(site: TargetSite, { makeParts, wrapAws = (aws) => aws }: ReferenceVariant, periods: Periods): TargetProcess {
  const { random, clock } = site.runtime;
  const identity = `replica_${random.fork('identity').hex(IDENTITY_DIGITS)}`;
  return { ...createController({ ...site, aws: wrapAws(site.aws), periods, identity }, makeParts), standby: clock.sleep(0) };
}

/** Without leader election: nothing else of its kind runs. */
function aloneWith(variant: ReferenceVariant, periods: Periods, scope?: PoolScope): Target {
  const { name, summary, makeParts, wrapAws = (aws) => aws } = variant;
  return {
    name,
    summary,
    features: [
      'spot',
      'interruption',
      'maintenance',
      'weights',
      'taints',
      'expiry',
      'minimum-values',
      'termination-grace',
      'static-capacity',
      'volumes',
      'consolidation',
      'drift',
      'disruption-budgets',
      'do-not-disrupt',
      'node-removal',
      'node-limits',
      'spot-consolidation',
      'node-settings',
      'gpus',
      'pool-removal',
      'open-labels',
      'drain-order',
    ],
    constants: constantsOf(periods),
    resources: [RESOURCES.nodeclaims.plural, RESOURCES.nodepools.plural, RESOURCES.ec2nodeclasses.plural],
    install: async (site) => {
      let isNew = false;
      for (const crd of CRDS) isNew = (await apply(kubeOf(site), RESOURCES.customresourcedefinitions, crd)) === 'created' || isNew;
      for (const type of SERVED) await untilServed(kubeOf(site), site.runtime.clock, type);
      // An upgrade must not bring back a class that was removed with its pools.
      if (isNew) await apply(kubeOf(site), RESOURCES.ec2nodeclasses, nodeClass(site.cluster));
    },
    start: (site) => {
      const pools = defined({ pools: scope });
      return createController({ ...site, aws: wrapAws(site.aws), periods, ...pools }, makeParts);
    },
    applyPools: async (site, pools) => {
      await apply(kubeOf(site), RESOURCES.ec2nodeclasses, nodeClass(site.cluster));
      for (const pool of pools) {
        const className = classNameOf(pool, nodeClassName(site.cluster));
        if (pool.nodeSettings !== undefined) await apply(kubeOf(site), RESOURCES.ec2nodeclasses, nodeClass(site.cluster, pool), true);
        await apply(kubeOf(site), RESOURCES.nodepools, toNodePool(pool, periods, className), true);
      }
    },
    removePools: async (site, pools, _left, former = []) => {
      const kube = kubeOf(site);
      for (const pool of [...pools, ...former]) {
        await remove(kube, RESOURCES.nodepools, pool.name);
        if (pool.nodeSettings !== undefined) await remove(kube, RESOURCES.ec2nodeclasses, classNameOf(pool, nodeClassName(site.cluster)));
      }
      // The class is removed with the last pool, and its launch templates with it.
      if ((await kube.list(RESOURCES.nodepools)).length === 0) await remove(kube, RESOURCES.ec2nodeclasses, nodeClassName(site.cluster));
    },
    confinedTo: (pools) => referenceWith(variant, periods, scopeOf(pools)),
  };
}

/** The bundled node autoscaler. */
export const reference = createReferenceTarget({
  name: 'reference',
  summary: 'the bundled node autoscaler, modelled on Karpenter',
});

/** Translates a pool to a NodePool. */
export function toNodePool(
  pool: Pool,
  { consolidateAfterMs }: Pick<Periods, 'consolidateAfterMs'> = STANDARD,
  nodeClassName: string = NODE_CLASS,
): NodePool {
  const { cpu, memoryMiB, nodes } = pool.limits ?? {};
  const limits = defined({
    cpu: cpu?.toString(),
    memory: memoryMiB === undefined ? undefined : formatBytes(memoryMiB * 1024 ** 2),
    nodes: nodes?.toString(),
  });
  return {
    metadata: { name: pool.name },
    spec: {
      template: {
        metadata: { labels: { ...pool.labels } },
        spec: {
          requirements: requirementsOf(pool),
          taints: [...pool.taints],
          ...(pool.startupTaints.length === 0 ? {} : { startupTaints: [...pool.startupTaints] }),
          ...defined({
            expireAfter: pool.expireAfterMs === undefined ? undefined : seconds(pool.expireAfterMs),
            terminationGracePeriod: pool.terminationGracePeriodMs === undefined ? undefined : seconds(pool.terminationGracePeriodMs),
          }),
          nodeClassRef: { group: RESOURCES.ec2nodeclasses.group, kind: RESOURCES.ec2nodeclasses.kind, name: nodeClassName },
        },
      },
      disruption: disruptionOf(pool, consolidateAfterMs),
      ...defined({ replicas: pool.replicas }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      // Karpenter's weights are 1 to 100; no weight is the lowest.
      ...(pool.weight > 0 ? { weight: pool.weight } : {}),
    },
  };
}

/** A pool's requirements and minimum values. */
function requirementsOf({ requirements, minimumValues = {} }: Pool): PoolRequirement[] {
  const minima = Object.entries(minimumValues).map(([key, minValues]): PoolRequirement => ({ key, operator: 'Exists', minValues }));
  return [...requirements, ...minima];
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1_000)}s`;
}

function nodeClassName({ objectPrefix = '' }: ClusterConfig): string {
  return `${objectPrefix}${NODE_CLASS}`;
}

const REASONS: Readonly<Record<BudgetReason, DisruptionReason>> = { empty: 'Empty', underutilized: 'Underutilized', drifted: 'Drifted' };

function disruptionOf({ disruption }: Pool, consolidateAfterMs: number): NodePool['spec']['disruption'] {
  const afterMs = disruption?.consolidateAfterMs ?? consolidateAfterMs;
  return {
    consolidationPolicy: disruption?.consolidation === 'when-empty-or-underutilized' ? 'WhenEmptyOrUnderutilized' : 'WhenEmpty',
    consolidateAfter: afterMs === 'never' ? 'Never' : seconds(afterMs),
    // By default Karpenter would disrupt a tenth of the nodes at once; here all empty ones may go at once.
    budgets: (disruption?.budgets ?? [{ nodes: '100%' }]).map(({ nodes, reasons, schedule, durationMs }) => ({
      nodes,
      ...defined({
        reasons: reasons?.map((reason) => REASONS[reason]),
        schedule,
        // Karpenter accepts minutes and hours.
        duration: durationMs === undefined ? undefined : `${Math.ceil(durationMs / 60_000)}m`,
      }),
    })),
  };
}

/** The class of a pool: its own if it sets anything on its nodes, otherwise the shared one. */
export function classNameOf({ name, nodeSettings }: Pick<Pool, 'name' | 'nodeSettings'>, shared: string): string {
  return nodeSettings === undefined ? shared : `${name}-nodes`;
}

/** What a pool sets on its nodes, in terms of its class. */
export function classSettings({ kubelet, userDataLabels = {} }: NodeSettings): Pick<EC2NodeClass['spec'], 'kubelet' | 'userData'> {
  const labels = Object.entries(userDataLabels).map(([key, value]) => `${key}=${value}`);
  if (labels.length === 0) return defined({ kubelet });
  const spec = { kubelet: { flags: [`--node-labels=${labels.sort().join(',')}`] } };
  return { ...defined({ kubelet }), userData: stringify({ apiVersion: 'node.eks.aws/v1alpha1', kind: 'NodeConfig', spec }) };
}

/** The shared class for this cluster, or that of a pool with settings of its own. */
export function nodeClass(cluster: ClusterConfig, pool?: Pool): EC2NodeClass {
  const shared = nodeClassName(cluster);
  return {
    metadata: { name: pool === undefined ? shared : classNameOf(pool, shared) },
    spec: {
      amiSelectorTerms: Object.values(cluster.imageIds).map((id) => ({ id })),
      subnetSelectorTerms: Object.values(cluster.subnets).map((id) => ({ id })),
      securityGroupSelectorTerms: [{ id: cluster.securityGroupId }],
      instanceProfile: `${cluster.name}-nodes`,
      ...classSettings(pool?.nodeSettings ?? {}),
    },
  };
}

function kubeOf({ kube, runtime }: TargetSite): KubeClient {
  return createKubeClient({ wire: kube, clock: runtime.clock });
}

/** Creates an object, or updates the spec of an existing one. @param exactly fields that it had before and are not given go */
async function apply(
  kube: KubeClient,
  type: ResourceType,
  object: KubeObject & { readonly spec?: unknown },
  exactly = false,
): Promise<'created' | 'updated'> {
  try {
    await kube.create(type, object);
    return 'created';
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    const ref = { type, name: object.metadata.name ?? '' };
    const old = exactly ? await kube.get<typeof object>(ref) : undefined;
    await kube.patch(ref, old === undefined ? object : { ...object, spec: exactPatch(old.spec, object.spec) });
    return 'updated';
  }
}

async function remove(kube: KubeClient, type: ResourceType, name: string): Promise<void> {
  try {
    await kube.delete({ type, name });
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
  }
}

async function untilServed(kube: KubeClient, clock: Clock, type: ResourceType): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await kube.list(type);
      return;
    } catch (error) {
      // 429 means that its storage is still being initialized.
      if (!(error instanceof KubeError) || ![404, 429].includes(error.status) || tries >= SERVED_TRIES) throw error;
    }
    await clock.sleep(SERVED_POLL_MS);
  }
}
