import { createAutoScalingClient } from '../../clients/auto-scaling.ts';
import { clusterTag } from '../../controller/api.ts';
import { DUMMY_ACCOUNT } from '../../model/program-environment.ts';
import type { Artefact } from '../go/artefacts/cache.ts';
import { COMPILED_MEMORY_MIB } from '../go/memory.ts';
import { HOST, IMAGE_ENVIRONMENT, programVariables, wireTo } from '../go/network.ts';
import { startGoTarget } from '../go/target-process.ts';
import { targetProgram } from '../go/target-program.ts';
import type { Target, TargetConstants, TargetProcess, TargetSite } from '../target.ts';

const PROGRAM = 'node-termination-handler';

/** It logs this once it reads its queue. */
const READY = 'Kubernetes AWS Node Termination Handler has started successfully!';

/** The tag of instances that it drains: it ignores others. Groups are tagged, and pass it on. */
export const MANAGED_TAG = 'aws-node-termination-handler/managed';

/** The hook that its operator gives each of these groups: their instances wait for it before they end. Source: its README, "Infrastructure Setup" */
const TERMINATION_HOOK = {
  LifecycleHookName: PROGRAM,
  LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
  DefaultResult: 'CONTINUE',
  HeartbeatTimeout: 300,
} as const;

/** Where a pod finds the token of its service account. Without it the program finds no API server. */
const TOKEN_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/token';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * It launches and terminates nothing, so these are of no use except that a target has to have some: beside an autoscaler, those
 * of the autoscaler count.
 */
const CONSTANTS: TargetConstants = {
  batchMaxMs: 10 * SECOND_MS,
  retryPeriodMs: 10 * SECOND_MS,
  launchTimeoutMs: 5 * MINUTE_MS,
  registrationTimeoutMs: 15 * MINUTE_MS,
  collectionMs: 5 * MINUTE_MS,
  emptyAfterMs: MINUTE_MS,
  terminationMs: MINUTE_MS,
  unavailableOfferingMs: 3 * MINUTE_MS,
  offeringsPerLaunch: 1,
};

/**
 * A release or checkout of AWS Node Termination Handler, as built by `scaleproof target build`, in queue mode: the program in virtual
 * time. It cordons and drains nodes whose end is announced. Pods need an autoscaler beside it.
 * @param version as in `node-termination-handler@VERSION`. Whether it has been built is only checked when it is started
 * @param pinned the artefact's folder name; by default the newest of the version
 */
export function nodeTerminationHandlerTarget(version: string, pinned?: string): Target {
  // Its source is always a checkout, whose path the version does not give.
  const program = targetProgram({ program: PROGRAM, version }, pinned);
  return {
    name: `${PROGRAM}@${version}`,
    summary: `AWS Node Termination Handler ${version} in queue mode, the real program, in virtual time`,
    helper: true,
    features: ['interruption', 'maintenance'],
    constants: CONSTANTS,
    resources: [],
    memoryMiB: COMPILED_MEMORY_MIB,
    cost: 'heavy',
    program,
    install: () => Promise.resolve(),
    applyPools: addHooks,
    removePools: () => Promise.resolve(),
    start: (site) => start(program.artefact(), site),
  };
}

/** Gives each of the cluster's groups its hook. */
async function addHooks({ aws, runtime, cluster }: TargetSite): Promise<void> {
  const groups = createAutoScalingClient({ wire: aws, clock: runtime.clock, random: runtime.random, region: cluster.region });
  try {
    for (const { AutoScalingGroupName, Status } of await groups.groupsWith({
      [MANAGED_TAG]: '',
      [clusterTag(cluster.name)]: 'owned',
    }))
      if (Status === undefined) await groups.putHook({ ...TERMINATION_HOOK, AutoScalingGroupName });
  } finally {
    groups.destroy();
  }
}

function start(artefact: Artefact, site: TargetSite): TargetProcess {
  return startGoTarget(
    {
      artefact,
      command: [PROGRAM],
      environment: environmentOf(site),
      files: new Map([[TOKEN_FILE, new TextEncoder().encode('token')]]),
      wireTo: (host) => wireTo(host, site),
      ready: ({ said }) => said(READY),
    },
    site,
  );
}

/**
 * The deployment of its chart in queue mode (config/helm/aws-node-termination-handler), with the chart's defaults and the queue, which
 * every operator has to give; its endpoint is the world's.
 */
function environmentOf(site: TargetSite): Readonly<Record<string, string>> {
  const { AWS_REGION, AWS_ENDPOINT_URL, INTERRUPTION_QUEUE_URL } = programVariables(site);
  return {
    ...IMAGE_ENVIRONMENT,
    ...DUMMY_ACCOUNT,
    // As in every pod.
    KUBERNETES_SERVICE_HOST: HOST.kube,
    KUBERNETES_SERVICE_PORT: '443',
    // The chart.
    NODE_NAME: 'system',
    POD_NAME: PROGRAM,
    NAMESPACE: 'kube-system',
    ENABLE_PROBES_SERVER: 'true',
    PROBES_SERVER_PORT: '8080',
    PROBES_SERVER_ENDPOINT: '/healthz',
    LOG_LEVEL: 'info',
    JSON_LOGGING: 'false',
    LOG_FORMAT_VERSION: '1',
    ENABLE_PROMETHEUS_SERVER: 'false',
    PROMETHEUS_SERVER_PORT: '9092',
    CHECK_ASG_TAG_BEFORE_DRAINING: 'true',
    CHECK_TAG_BEFORE_DRAINING: 'true',
    MANAGED_ASG_TAG: MANAGED_TAG,
    MANAGED_TAG,
    USE_PROVIDER_ID: 'false',
    DRY_RUN: 'false',
    CORDON_ONLY: 'false',
    TAINT_NODE: 'false',
    ENABLE_OUT_OF_SERVICE_TAINT: 'false',
    EXCLUDE_FROM_LOAD_BALANCERS: 'false',
    DELETE_LOCAL_DATA: 'true',
    IGNORE_DAEMON_SETS: 'true',
    POD_TERMINATION_GRACE_PERIOD: '-1',
    NODE_TERMINATION_GRACE_PERIOD: '120',
    EMIT_KUBERNETES_EVENTS: 'false',
    COMPLETE_LIFECYCLE_ACTION_DELAY_SECONDS: '-1',
    ENABLE_SQS_TERMINATION_DRAINING: 'true',
    AWS_REGION,
    AWS_ENDPOINT: AWS_ENDPOINT_URL,
    QUEUE_URL: INTERRUPTION_QUEUE_URL ?? '',
    DELETE_SQS_MSG_IF_NODE_NOT_FOUND: 'false',
    WORKERS: '10',
    HEARTBEAT_INTERVAL: '-1',
    HEARTBEAT_UNTIL: '-1',
    SQS_MSG_VISIBILITY_TIMEOUT_SEC: '20',
  };
}
