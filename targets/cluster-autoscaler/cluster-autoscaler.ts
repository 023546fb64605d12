import { readFileSync } from 'node:fs';
import type { ClusterConfig } from '../../model/cluster.ts';
import { DUMMY_ACCOUNT } from '../../model/program-environment.ts';
import { ArtefactError } from '../go/artefacts/cache.ts';
import type { Artefact } from '../go/artefacts/cache.ts';
import { COMPILED_MEMORY_MIB } from '../go/memory.ts';
import { IMAGE_ENVIRONMENT, programFiles, programVariables, wireTo } from '../go/network.ts';
import { definitionsOf } from '../go/programs.ts';
import { startGoTarget } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { TargetProgram } from '../go/target-program.ts';
import type { Feature, Target, TargetConstants, TargetProcess, TargetSite } from '../target.ts';
import { constantsWith } from './constants.ts';
import { isOff, withFlags } from './flags.ts';
import { discoveryTags, groupOperations, isQuotaDefinition } from './groups.ts';

const PROGRAM = 'cluster-autoscaler';
const NAMESPACE = 'kube-system';

/** Limits of several groups together: 1.35 has their definition, but not the flag. */
const QUOTAS_FLAG = 'capacity-quotas-enabled';

/** What is known of checkouts, by the path of their programs. */
// eslint-disable-next-line scaleproof/module-state -- follows from an artefact alone, and is never changed
const quotasByProgram = new Map<string, boolean>();

/** It logs this once it has read its groups, before its informers start. */
const READY = 'Registered cleanup signal handler';

/** On the address that `--address` has by default. */
const METRICS = 'http://127.0.0.1:8085/metrics';

/** Where a version differs from its defaults. */
export interface ClusterAutoscalerSettings {
  readonly name?: string | undefined;
  /** Its own flags, as `--NAME=VALUE`: they replace those of the same name. */
  readonly flags?: readonly string[] | undefined;
  readonly features?: readonly Feature[] | undefined;
  readonly constants?: Partial<TargetConstants> | undefined;
}

/**
 * What its groups and flags give. It only removes nodes whose pods fit elsewhere, never for a cheaper node, and only below half
 * of their use: that is not `consolidation`. Interruptions, drift and orphaned Nodes are for other controllers. Who
 * removes a pool deletes its groups, and they end their instances.
 */
const FEATURES: readonly Feature[] = ['spot', 'weights', 'taints', 'volumes'];

/**
 * A release or checkout of Cluster Autoscaler, as built by `scaleproof target build`: the unmodified program, in virtual time, on EKS.
 * @param version as in `cluster-autoscaler@VERSION`. Whether it has been built is only checked when it is started
 * @param pinned the artefact's folder name; by default the newest of the version
 * @throws FlagError for flags that can't be used
 */
export function clusterAutoscalerTarget(version: string, pinned?: string, settings: ClusterAutoscalerSettings = {}): Target {
  const { name = `${PROGRAM}@${version}`, flags = [], features, constants } = settings;
  // Refused now, and not when a trial starts.
  withFlags([], flags);
  // Its source is always a checkout, whose path the version does not give.
  const program = targetProgram({ program: PROGRAM, version }, pinned);
  const hasQuotas = !isOff(flags, QUOTAS_FLAG) && knowsQuotas(program);
  return {
    name,
    summary: `Cluster Autoscaler ${version} on AWS, the real program, in virtual time`,
    features: features ?? [...FEATURES, ...(hasQuotas ? (['node-limits'] as const) : [])],
    constants: { ...constantsWith(flags), ...constants },
    resources: [],
    memoryMiB: COMPILED_MEMORY_MIB,
    cost: 'heavy',
    program,
    ...groupOperations(() => definitionsOf(program.artefact()).filter((one) => hasQuotas || !isQuotaDefinition(one))),
    start: (site) => start(program.artefact(), site, withFlags([...flagsOf(site), ...(hasQuotas ? [`--${QUOTAS_FLAG}`] : [])], flags)),
  };
}

/** A release says it with its version; a checkout may be of any, so it is looked for in the program: read once, a quarter of a gigabyte. */
function knowsQuotas(program: Pick<TargetProgram, 'version' | 'artefact'>): boolean {
  const [, minor] = /^1\.(\d+)\./.exec(program.version) ?? [];
  if (minor !== undefined) return Number(minor) >= 36;
  try {
    const { wasm } = program.artefact();
    const known = quotasByProgram.get(wasm) ?? readFileSync(wasm).includes(QUOTAS_FLAG);
    quotasByProgram.set(wasm, known);
    return known;
  } catch (error) {
    if (error instanceof ArtefactError) return true;
    throw error;
  }
}

function start(artefact: Artefact, site: TargetSite, flags: readonly string[]): TargetProcess {
  return startGoTarget(
    {
      artefact,
      command: [PROGRAM, ...flags],
      environment: environmentOf(site),
      files: programFiles(),
      wireTo: (host) => (awsHosts(site.cluster).includes(host) ? site.aws : wireTo(host, site)),
      ready: ({ said }) => said(READY),
      metrics: METRICS,
    },
    site,
  );
}

/** Its clients know no other addresses: AWS_ENDPOINT_URL does not apply to all of them (kubernetes/autoscaler#9974). */
function awsHosts({ region }: ClusterConfig): string[] {
  return ['autoscaling', 'ec2', 'eks'].map((service) => `${service}.${region}.amazonaws.com`);
}

/**
 * The flags of the chart (charts/cluster-autoscaler) with auto-discovery, those of the AWS provider's example manifest
 * (cloudprovider/aws/examples/cluster-autoscaler-autodiscover.yaml), and what its README adds: groups with one zone each that are
 * balanced, and scale-down of nodes with system pods.
 */
function flagsOf(site: TargetSite): string[] {
  const { KUBECONFIG } = programVariables(site);
  return [
    // The chart.
    '--cloud-provider=aws',
    `--namespace=${NAMESPACE}`,
    `--node-group-auto-discovery=asg:tag=${discoveryTags(site.cluster.name).join(',')}`,
    '--logtostderr=true',
    '--stderrthreshold=info',
    // The chart's is 4, which logs several lines in each loop. No decision depends on it.
    '--v=1',
    // The example.
    '--skip-nodes-with-local-storage=false',
    // The README.
    '--balance-similar-node-groups',
    '--skip-nodes-with-system-pods=false',
    // For pools of different weight, and spot before on-demand; then as in the example.
    '--expander=priority,least-waste',
    // Here: the world's address, and one replica, so there is no contention for the lease.
    `--kubeconfig=${KUBECONFIG}`,
    '--leader-elect=false',
  ];
}

/** As in the chart. */
function environmentOf(site: TargetSite): Readonly<Record<string, string>> {
  return {
    ...IMAGE_ENVIRONMENT,
    POD_NAMESPACE: NAMESPACE,
    SERVICE_ACCOUNT: PROGRAM,
    AWS_REGION: programVariables(site).AWS_REGION,
    ...DUMMY_ACCOUNT,
  };
}
