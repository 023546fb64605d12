import { RESOURCES } from '../../clients/resources.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { DUMMY_ACCOUNT, clusterVariables } from '../../model/program-environment.ts';
import type { Wire } from '../../wire/wire.ts';
import type { Manifest } from '../command/apply.ts';
import { karpenterPools } from '../command/pools.ts';
import type { Operations } from '../command/pools.ts';
import type { Artefact } from '../go/artefacts/cache.ts';
import { parseTargetVersion, specOf } from '../go/build/programs.ts';
import { definitionsOf } from '../go/programs.ts';
import { startGoTarget } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { TargetProgram } from '../go/target-program.ts';
import type { Feature, Target, TargetProcess, TargetSite } from '../target.ts';
import { karpenterConstants } from './constants.ts';

const PROGRAM = 'karpenter';
/** Of pools that say nothing of it, as with the bundled autoscaler. */
const CONSOLIDATE_AFTER_MS = 30_000;
/** Most resident memory of a trial's process: the program's own memory, its code, and what a trial takes beside it. */
const MEMORY_MIB = 1_792;

/** Hosts as the program's configuration names them. */
const HOST = { kube: 'kubernetes.default.svc', aws: 'aws.scaleproof' } as const;
const KUBECONFIG = '/etc/scaleproof/kubeconfig';
/** Said once by each of its controllers, when its caches are filled. */
const READY = '"Starting workers"';

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
export function karpenterTarget(version: string, pinned?: string): Target {
  const program = programOf(version, pinned);
  const artefact = (): Artefact => program.artefact();
  const operations = (site: TargetSite): Operations =>
    karpenterPools(nodeClassOf(site.cluster), definitionsOf(artefact()), CONSOLIDATE_AFTER_MS);
  return {
    name: `${PROGRAM}@${version}`,
    summary: `Karpenter ${version} for AWS, the program itself, in virtual time`,
    features: FEATURES,
    constants: karpenterConstants(CONSOLIDATE_AFTER_MS),
    resources: [RESOURCES.nodeclaims.plural, RESOURCES.nodepools.plural, RESOURCES.ec2nodeclasses.plural],
    memoryMiB: MEMORY_MIB,
    instanceTypes: 'common',
    cost: 'heavy',
    program,
    install: (site) => operations(site).install(site),
    applyPools: (site, pools) => operations(site).applyPools(site, pools),
    removePools: (site, pools, left) => operations(site).removePools(site, pools, left),
    start: (site) => start(artefact(), site),
  };
}

function programOf(version: string, pinned: string | undefined): TargetProgram {
  const parsed = parseTargetVersion(`${PROGRAM}@${version}`);
  // The name of a checkout doesn't say where the checkout is.
  return targetProgram({ program: PROGRAM, version, ...(parsed.kind === 'name' ? {} : { spec: specOf(parsed, {}) }) }, pinned);
}

function start(artefact: Artefact, site: TargetSite): TargetProcess {
  return startGoTarget(
    {
      artefact,
      command: [PROGRAM],
      environment: environmentOf(site.cluster),
      files: new Map([[KUBECONFIG, new TextEncoder().encode(kubeconfig())]]),
      wireTo: (host) => wireTo(host, site),
      readyWhenSaid: READY,
    },
    site,
  );
}

function wireTo(host: string, { kube, aws }: TargetSite): Wire | undefined {
  if (host === HOST.kube) return kube;
  return host === HOST.aws ? aws : undefined;
}

/**
 * As its chart sets it by default (charts/karpenter/values.yaml), with the two settings that every operator has to give. One replica:
 * nobody else asks for the lease.
 */
function environmentOf(cluster: ClusterConfig): Readonly<Record<string, string>> {
  const { AWS_REGION, INTERRUPTION_QUEUE_NAME } = clusterVariables(cluster);
  return {
    // Of its image, which is made on distroless's.
    HOME: '/home/nonroot',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...DUMMY_ACCOUNT,
    AWS_REGION,
    AWS_ENDPOINT_URL: `http://${HOST.aws}`,
    KUBECONFIG,
    CLUSTER_NAME: cluster.name,
    CLUSTER_ENDPOINT: `https://${HOST.kube}`,
    INTERRUPTION_QUEUE: INTERRUPTION_QUEUE_NAME,
    SYSTEM_NAMESPACE: 'kube-system',
    DISABLE_LEADER_ELECTION: 'true',
    METRICS_PORT: '8080',
    HEALTH_PROBE_PORT: '8081',
    LOG_LEVEL: 'info',
  };
}

function kubeconfig(): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: PROGRAM, cluster: { server: `http://${HOST.kube}` } }],
    users: [{ name: PROGRAM, user: {} }],
    contexts: [{ name: PROGRAM, context: { cluster: PROGRAM, user: PROGRAM } }],
    'current-context': PROGRAM,
  });
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
