import { RESOURCES } from '../../clients/resources.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { defined } from '../../model/defined.ts';
import { DUMMY_ACCOUNT } from '../../model/program-environment.ts';
import type { Manifest } from '../command/apply.ts';
import { parseDurationMs } from '../command/duration.ts';
import { karpenterPools } from '../command/pools.ts';
import type { Operations } from '../command/pools.ts';
import { substituteAll } from '../command/variables.ts';
import type { Artefact } from '../go/artefacts/cache.ts';
import { parseTargetVersion, specOf } from '../go/build/programs.ts';
import { HOST, programFiles, programVariables, wireTo } from '../go/network.ts';
import { definitionsOf } from '../go/programs.ts';
import { startGoTarget } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { TargetProgram } from '../go/target-program.ts';
import type { Feature, Target, TargetConstants, TargetProcess, TargetSite } from '../target.ts';
import { karpenterConstants } from './constants.ts';

const PROGRAM = 'karpenter';
/** Of pools that say nothing of it, as with the bundled autoscaler. */
const CONSOLIDATE_AFTER_MS = 30_000;
/** Most resident memory of a trial's process: the program's own memory, its code, and what a trial takes beside it. */
const MEMORY_MIB = 1_792;

/** Said once by each of its controllers, when its caches are filled. */
const READY = '"Starting workers"';

/** What of a version is otherwise than its chart sets it. */
export interface KarpenterSettings {
  readonly name?: string | undefined;
  /** Over its own; `${NAME}` stands for what docs/targets.md lists. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** By default what it does with its feature gates. */
  readonly features?: readonly Feature[] | undefined;
  readonly constants?: Partial<TargetConstants> | undefined;
  /** Of pools that say nothing of it. */
  readonly consolidateAfterMs?: number | undefined;
  /** The class of all nodes. */
  readonly nodeClass?: Manifest | undefined;
  /** What is installed in the place of the definitions that it came with. */
  readonly install?: readonly Manifest[] | undefined;
}

/** What Karpenter does with the gates that its chart sets by default: all but static capacity, repair and overlays. */
const FEATURES: readonly Feature[] = [
  'spot',
  'interruption',
  'maintenance',
  'weights',
  'taints',
  'expiry',
  'minimum-values',
  'termination-grace',
  'volumes',
  'consolidation',
  'drift',
  'disruption-budgets',
  'do-not-disrupt',
  'node-removal',
];

/**
 * A release, commit or checkout of Karpenter's AWS provider, as `scaleproof target build` made it: the program itself, unmodified, in
 * the trial's own time. It is set up as its chart does by default, in a cluster of EKS with AL2023.
 * @param version as in `karpenter@VERSION`. That it has been built is looked at when it is installed or started
 * @param pinned the name of its artefact's folder; by default the newest of the version
 */
export function karpenterTarget(version: string, pinned?: string, settings: KarpenterSettings = {}): Target {
  const program = programOf(version, pinned);
  const artefact = (): Artefact => program.artefact();
  const { name = `${PROGRAM}@${version}`, environment = {}, consolidateAfterMs = CONSOLIDATE_AFTER_MS, nodeClass } = settings;
  const operations = (site: TargetSite): Operations =>
    karpenterPools(nodeClass ?? nodeClassOf(site.cluster), settings.install ?? definitionsOf(artefact()), consolidateAfterMs);
  return {
    name,
    summary: `Karpenter ${version} for AWS, the program itself, in virtual time`,
    features: settings.features ?? [...FEATURES, ...featuresOfGates(environment['FEATURE_GATES'])],
    constants: { ...karpenterConstants(consolidateAfterMs), ...batchOf(environment['BATCH_MAX_DURATION']), ...settings.constants },
    resources: [RESOURCES.nodeclaims.plural, RESOURCES.nodepools.plural, RESOURCES.ec2nodeclasses.plural],
    memoryMiB: MEMORY_MIB,
    smallRegion: true,
    cost: 'heavy',
    program,
    install: (site) => operations(site).install(site),
    applyPools: (site, pools) => operations(site).applyPools(site, pools),
    removePools: (site, pools, left) => operations(site).removePools(site, pools, left),
    start: (site) => start(artefact(), site, environment),
  };
}

function programOf(version: string, pinned: string | undefined): TargetProgram {
  const parsed = parseTargetVersion(`${PROGRAM}@${version}`);
  // The name of a checkout doesn't say where the checkout is.
  return targetProgram({ program: PROGRAM, version, ...(parsed.kind === 'name' ? {} : { spec: specOf(parsed, {}) }) }, pinned);
}

/** What gates that the chart leaves off let it do. */
const GATED: Readonly<Record<string, Feature>> = { staticcapacity: 'static-capacity', spottospotconsolidation: 'spot-consolidation' };

/** Features of such gates, as FEATURE_GATES has them: `StaticCapacity=true,NodeRepair=false`. */
function featuresOfGates(gates = ''): Feature[] {
  return gates.split(',').flatMap((gate) => {
    const [name = '', value = ''] = gate.split('=').map((part) => part.trim().toLowerCase());
    const feature = GATED[name];
    return feature === undefined || value !== 'true' ? [] : [feature];
  });
}

function batchOf(duration: string | undefined): Partial<TargetConstants> {
  const batchMaxMs = duration === undefined ? undefined : parseDurationMs(duration);
  return defined({ batchMaxMs });
}

function start(artefact: Artefact, site: TargetSite, environment: Readonly<Record<string, string>>): TargetProcess {
  return startGoTarget(
    {
      artefact,
      command: [PROGRAM],
      environment: { ...environmentOf(site), ...substituteAll(environment, programVariables(site)) },
      files: programFiles(),
      wireTo: (host) => wireTo(host, site),
      ready: ({ said }) => said(READY),
    },
    site,
  );
}

/**
 * As its chart sets it by default (charts/karpenter/values.yaml), with the two settings that every operator has to give. One replica:
 * nobody else asks for the lease. Gauges of its cluster state are off: no decision depends on them, and nobody reads them in a trial.
 */
function environmentOf(site: TargetSite): Readonly<Record<string, string>> {
  const { AWS_REGION, AWS_ENDPOINT_URL, CLUSTER_NAME, INTERRUPTION_QUEUE_NAME, KUBECONFIG, PORT, METRICS_PORT } = programVariables(site);
  return {
    // Of its image, which is made on distroless's.
    HOME: '/home/nonroot',
    // How often Go collects garbage, and nothing else: a third of the collections, for some more memory.
    GOGC: '400',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...DUMMY_ACCOUNT,
    AWS_REGION,
    AWS_ENDPOINT_URL,
    KUBECONFIG,
    CLUSTER_NAME,
    CLUSTER_ENDPOINT: `https://${HOST.kube}`,
    INTERRUPTION_QUEUE: INTERRUPTION_QUEUE_NAME,
    SYSTEM_NAMESPACE: 'kube-system',
    DISABLE_LEADER_ELECTION: 'true',
    METRICS_PORT,
    HEALTH_PROBE_PORT: PORT,
    // They take a fifth of a trial's processor time, a third of a long one's.
    DISABLE_CLUSTER_STATE_OBSERVABILITY: 'true',
    LOG_LEVEL: 'info',
  };
}

/** One class for all pools: what the guide to Karpenter begins with, with ids in the place of tags. */
function nodeClassOf(cluster: ClusterConfig): Manifest {
  const ids = (record: Readonly<Record<string, string>>): { readonly id: string }[] => Object.values(record).map((id) => ({ id }));
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: RESOURCES.ec2nodeclasses.kind,
    metadata: { name: 'default' },
    spec: {
      amiFamily: 'AL2023',
      amiSelectorTerms: ids(cluster.imageIds),
      instanceProfile: `${cluster.name}-nodes`,
      subnetSelectorTerms: ids(cluster.subnets),
      securityGroupSelectorTerms: [{ id: cluster.securityGroupId }],
    },
  } as Manifest;
}
