import { RESOURCES } from '../../clients/resources.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { defined } from '../../model/defined.ts';
import { DUMMY_ACCOUNT } from '../../model/program-environment.ts';
import type { Manifest } from '../command/apply.ts';
import { parseDurationMs } from '../../model/go-duration.ts';
import { karpenterPools } from '../command/pools.ts';
import type { Operations } from '../command/pools.ts';
import { substituteAll } from '../command/variables.ts';
import type { Artefact } from '../go/artefacts/cache.ts';
import { parseTargetVersion, specOf } from '../go/build/programs.ts';
import { COMPILED_MEMORY_MIB } from '../go/memory.ts';
import { HOST, IMAGE_ENVIRONMENT, METRICS, programFiles, programVariables, wireTo } from '../go/network.ts';
import { definitionsOf } from '../go/programs.ts';
import { startGoTarget } from '../go/target-process.ts';
import type { GoTargetSpec } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { TargetProgram } from '../go/target-program.ts';
import type { Feature, Target, TargetConstants, TargetProcess, TargetSite } from '../target.ts';
import { karpenterConstants } from './constants.ts';
import { featuresOfGates } from './environment.ts';

const PROGRAM = 'karpenter';
/** For pools that set none, as in the bundled autoscaler. */
const CONSOLIDATE_AFTER_MS = 30_000;

/** Each of its controllers logs this once, when its caches are filled. */
const READY = '"Starting workers"';
/** A replica logs this, in the words of client-go's version, when it asks for the lease for the first time. */
const STANDBY = 'ttempting to acquire leader lease';

/** Where a version differs from its chart's defaults. */
export interface KarpenterSettings {
  readonly name?: string | undefined;
  /** Overrides its own environment; `${NAME}` as listed in docs/targets.md. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** By default according to its feature gates. */
  readonly features?: readonly Feature[] | undefined;
  readonly constants?: Partial<TargetConstants> | undefined;
  /** For pools that set none. */
  readonly consolidateAfterMs?: number | undefined;
  /** The class of pools without their own; its images, network and role are also those of the others. */
  readonly nodeClass?: Manifest | undefined;
  /** Installed instead of its own definitions. */
  readonly install?: readonly Manifest[] | undefined;
}

/** Karpenter's features with its chart's default gates: all but static capacity, repair and overlays. */
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
  'node-settings',
  'node-classes',
  'gpus',
  'pool-removal',
  'open-labels',
  'drain-order',
];

/**
 * A release, commit or checkout of Karpenter's AWS provider, as built by `scaleproof target build`: the unmodified program, in
 * virtual time. It is configured like its chart's defaults, in an EKS cluster with AL2023.
 * @param version as in `karpenter@VERSION`. Whether it has been built is only checked when it is installed or started
 * @param pinned the artefact's folder name; by default the newest of the version
 */
export function karpenterTarget(version: string, pinned?: string, settings: KarpenterSettings = {}): Target {
  const program = programOf(version, pinned);
  const artefact = (): Artefact => program.artefact();
  const { name = `${PROGRAM}@${version}`, environment = {}, consolidateAfterMs = CONSOLIDATE_AFTER_MS, nodeClass } = settings;
  const operations = (site: TargetSite): Operations =>
    karpenterPools(nodeClass ?? nodeClassOf(site.cluster), settings.install ?? definitionsOf(artefact()), consolidateAfterMs);
  const target: Target = {
    name,
    summary: `Karpenter ${version} for AWS, the real program, in virtual time`,
    features: settings.features ?? [...FEATURES, ...featuresOfGates(environment['FEATURE_GATES'])],
    constants: { ...karpenterConstants(consolidateAfterMs), ...batchOf(environment['BATCH_MAX_DURATION']), ...settings.constants },
    resources: [RESOURCES.nodeclaims.plural, RESOURCES.nodepools.plural, RESOURCES.ec2nodeclasses.plural],
    memoryMiB: COMPILED_MEMORY_MIB,
    smallRegion: true,
    cost: 'heavy',
    program,
    install: (site) => operations(site).install(site),
    applyPools: (site, pools) => operations(site).applyPools(site, pools),
    removePools: (site, pools, left, former) => operations(site).removePools(site, pools, left, former),
    start: (site) => start(artefact(), site, environment),
  };
  return { ...target, electing: { ...target, start: (site) => start(artefact(), site, { ...environment, ...ELECTING }, ELECTION) } };
}

/** In a cluster it would use its own namespace. */
const ELECTING = { DISABLE_LEADER_ELECTION: 'false', LEADER_ELECTION_NAMESPACE: 'kube-system' };
const ELECTION: Pick<GoTargetSpec, 'standby'> = { standby: ({ said }) => said(STANDBY) };

function programOf(version: string, pinned: string | undefined): TargetProgram {
  const parsed = parseTargetVersion(`${PROGRAM}@${version}`);
  // The name of a checkout does not give its path.
  return targetProgram({ program: PROGRAM, version, ...(parsed.kind === 'name' ? {} : { spec: specOf(parsed, {}) }) }, pinned);
}

function batchOf(duration: string | undefined): Partial<TargetConstants> {
  const batchMaxMs = duration === undefined ? undefined : parseDurationMs(duration);
  return defined({ batchMaxMs });
}

function start(
  artefact: Artefact,
  site: TargetSite,
  environment: Readonly<Record<string, string>>,
  election: Pick<GoTargetSpec, 'standby'> = {},
): TargetProcess {
  return startGoTarget(
    {
      artefact,
      command: [PROGRAM],
      environment: { ...environmentOf(site), ...substituteAll(environment, programVariables(site)) },
      files: programFiles(),
      wireTo: (host) => wireTo(host, site),
      ready: ({ said }) => said(READY),
      ...election,
      metrics: METRICS,
    },
    site,
  );
}

/**
 * Its chart's defaults (charts/karpenter/values.yaml), with the two settings that every operator has to give. One replica, so
 * there is no contention for the lease, unless it hands over to another. Gauges of its cluster state are off: no decision depends on them, and a trial does not
 * read them.
 */
function environmentOf(site: TargetSite): Readonly<Record<string, string>> {
  const { AWS_REGION, AWS_ENDPOINT_URL, CLUSTER_NAME, INTERRUPTION_QUEUE_NAME, KUBECONFIG, PORT, METRICS_PORT } = programVariables(site);
  return {
    ...IMAGE_ENVIRONMENT,
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
    // These take a fifth of a trial's processor time, a third of a long one's.
    DISABLE_CLUSTER_STATE_OBSERVABILITY: 'true',
    LOG_LEVEL: 'info',
  };
}

/** The class of pools without their own: the one of Karpenter's getting-started guide, with ids instead of tags. */
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
