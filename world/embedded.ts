import type { Capability } from '../history/capabilities.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import type { Catalogue } from '../model/instance-catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import { defined } from '../model/defined.ts';
import type { Node } from '../model/kube.ts';
import { userNameOf } from '../model/service-account.ts';
import type { ServiceAccountName } from '../model/service-account.ts';
import type { Operation, Principal } from '../model/operation.ts';
import type { Random } from '../runtime/random.ts';
import type { ChainSite } from '../wire/chain.ts';
import { Gate } from '../wire/gate.ts';
import { CLOUD_MONITOR_PERIOD_MS, CLOUD_REACTION } from './controllers/cloud-controller.ts';
import { createControllerManager } from './controllers/controller-manager.ts';
import { NamespaceDefaults } from './controllers/namespace-defaults.ts';
import { NODE_MONITOR_GRACE_MS, NODE_MONITOR_PERIOD_MS, NODE_TAINT_REACTION } from './controllers/node-lifecycle.ts';
import { POD_GC_PERIOD_MS, POD_GC_QUARANTINE_MS } from './controllers/pod-garbage-collector.ts';
import { WORKLOAD_REACTION } from './controllers/key-queue.ts';
import { createApiServer } from './kube/api-server.ts';
import { Observer } from './kube/observer.ts';
import type { ApiObject } from './kube/resource.ts';
import { createWebhookClient } from './kube/webhooks/https-client.ts';
import { Scheduler, SCHEDULER_DELAYS } from './scheduler/scheduler.ts';
import { VolumeController } from './scheduler/volume-controller.ts';
import { VolumeProvisioner } from './scheduler/volume-provisioner.ts';
import { WATCH_DELAY } from './kube/watches.ts';
import { STATUS_REPORT_PERIOD_MS } from './nodes/kubelet.ts';
import { Kubelets } from './nodes/kubelets.ts';
import { LeaseHeartbeats } from './nodes/lease-heartbeats.ts';
import { NodeLeases, renewed } from './nodes/node-leases.ts';
import { STARTUP_AGENT_DELAY } from './nodes/startup-agent.ts';
import { MACHINE_DELAYS, QUICK_MACHINES } from './machine-delays.ts';
import type { MachineDelays } from './machine-delays.ts';
import { createMachines } from './machines.ts';
import type { CountingPort } from './ports.ts';
import type { ReplaceablePart } from './replaceable.ts';
import { TargetProcess } from './target-process.ts';
import { drawMs } from './tasks.ts';
import type { DelayRange, WorldPart } from './tasks.ts';
import { createScopes } from './scopes.ts';
import { WireFactory } from './wires.ts';
import type { World, WorldSite } from './world.ts';

/**
 * The latency of a request, half of it each way. Kubernetes: a healthy cluster. EC2: most calls take tens to hundreds of
 * milliseconds; a fleet that launches synchronously takes one to a few seconds, a refusal does not.
 */
const REQUEST_DELAYS = {
  kube: { minMs: 2, maxMs: 16 },
  aws: { minMs: 40, maxMs: 240 },
  fleet: { minMs: 760, maxMs: 2_760 },
} as const satisfies Record<string, DelayRange>;

export const CLUSTER: ClusterConfig = {
  name: 'scaleproof',
  region: 'us-east-1',
  subnets: { 'us-east-1a': 'subnet-0a000000000000001', 'us-east-1b': 'subnet-0b000000000000001', 'us-east-1c': 'subnet-0c000000000000001' },
  securityGroupId: 'sg-00000000000000001',
  imageIds: { x86_64: 'ami-0123456789abcde64', arm64: 'ami-0123456789abcda64' },
};

/** Options of an embedded world. */
export interface EmbeddedOptions {
  /**
   * Kubelets renew their leases and report their status as real ones do, for programs that watch both. By default renewals are
   * computed when a lease is read, and a status is only written when it changes: a trial has no use for the rest.
   */
  readonly writtenHeartbeats?: boolean;
  /** Parts that are left out, since other programs do their work. */
  readonly without?: readonly ReplaceablePart[];
  /** Roles say what is allowed, and the target is this service account. By default everybody may do everything. */
  readonly targetAccount?: ServiceAccountName;
  /** In real time: the addresses, `HOST:PORT`, of the programs that are services, `NAMESPACE/NAME`, to call as webhooks. */
  readonly services?: ReadonlyMap<string, string>;
  /** Requests take no time, and EC2 takes any number of them: for programs whose speed is to be seen. By default not. */
  readonly noLimits?: boolean;
  /** By default as observed for real machines. */
  readonly delays?: MachineDelays;
  /** By default the package's full catalogue. */
  readonly catalogue?: Catalogue;
}

/** The maximum of each named delay, from which bounds are computed. */
function allowancesOf({ instances, kubelets }: MachineDelays): World['allowances'] {
  return {
    apiMs: REQUEST_DELAYS.aws.maxMs + REQUEST_DELAYS.fleet.maxMs,
    watchMs: WATCH_DELAY.maxMs,
    bootMs: instances.pending.maxMs + kubelets.start.maxMs,
    registerMs: kubelets.register.maxMs + CLOUD_REACTION.maxMs,
    // A NoExecute taint set while a node started is removed in the monitor's next period.
    readyMs: kubelets.ready.maxMs + NODE_MONITOR_PERIOD_MS + NODE_TAINT_REACTION.maxMs + STARTUP_AGENT_DELAY.maxMs,
    devicesMs: kubelets.devices.maxMs,
    bindMs: SCHEDULER_DELAYS.retryMaxMs,
    podStartMs: kubelets.podStart.maxMs,
    instanceEndMs: instances.shuttingDown.maxMs,
    nodeGoneMs: NODE_MONITOR_GRACE_MS + NODE_MONITOR_PERIOD_MS + CLOUD_MONITOR_PERIOD_MS,
    podEndMs: kubelets.podEnd.maxMs + WORKLOAD_REACTION.maxMs + POD_GC_QUARANTINE_MS + POD_GC_PERIOD_MS,
  };
}

/** Capabilities of a world that need targets in this process, on the virtual clock. */
const VIRTUAL_ONLY: readonly Capability[] = ['time.virtual', 'target.pause', 'target.clock'];

/** The properties of every embedded world on the virtual clock, without creating one. */
export const EMBEDDED: Pick<World, 'name' | 'capabilities' | 'allowances'> = {
  name: 'embedded',
  capabilities: [
    'time.virtual',
    'wire.kube',
    'wire.aws',
    'capacity.set',
    'capacity.quota',
    'hostnames.set',
    'api.throttle',
    'reads.stale',
    'instance.end',
    'spot.interrupt',
    'queue.perturb',
    'boot.delay',
    'nodes.arm64',
    'nodes.devices',
    'volumes.create',
    'pods.finish',
    'cloud.hold',
    'templates.delete',
    'groups.create',
    'watch.perturb',
    'target.kill',
    'target.pause',
    'target.clock',
    'instances.observe',
    'objects.observe',
  ],
  allowances: allowancesOf(MACHINE_DELAYS),
};

/** The same in real time, with machines that start within seconds. */
export const EMBEDDED_IN_REAL_TIME: typeof EMBEDDED = {
  name: EMBEDDED.name,
  capabilities: EMBEDDED.capabilities.filter((capability) => !VIRTUAL_ONLY.includes(capability)),
  allowances: allowancesOf(QUICK_MACHINES),
};

/** The embedded world: API server, scheduler, workloads, kubelets, cloud controller and EC2 in this process. */
export function createEmbeddedWorld(site: WorldSite, options: EmbeddedOptions = {}): World {
  const { delays = MACHINE_DELAYS, catalogue = loadCatalogue(), writtenHeartbeats = false, without = [], targetAccount } = options;
  const { timeline, random, recorder } = site;
  const scopes = createScopes(timeline);
  const { scope } = scopes;
  // In virtual time no webhook can be called: a program's real speed must not decide.
  const webhooks = timeline.virtual ? undefined : createWebhookClient(scope('webhooks'), options.services ?? new Map());
  const api = createApiServer({
    clock: scope('api-server'),
    random: random.fork('api-server'),
    ...defined({ targetAccount, webhooks }),
  });
  api.onCommit(new Observer(recorder, api.resources).observe);
  const port = (principal: Principal): CountingPort => api.port(principal);
  const machines = createMachines({
    random,
    recorder,
    catalogue,
    cluster: CLUSTER,
    delays,
    unlimitedRequests: options.noLimits ?? false,
    port,
    scope,
    nodes: (nodes) => new Kubelets({ ...nodes, ...(writtenHeartbeats ? { statusReportPeriodMs: STATUS_REPORT_PERIOD_MS } : {}) }),
  });
  const kubelets = machines.nodes;
  if (!writtenHeartbeats) {
    api.compute('leases.coordination.k8s.io', (lease) => renewed(lease, kubelets));
    api.onCommit(({ type, resource, version }) => {
      if (resource.id === 'nodes' && type === 'MODIFIED') kubelets.observeNode(version.object as ApiObject & Node);
    });
  }
  const has = (part: ReplaceablePart): boolean => !without.includes(part);
  const parts: readonly WorldPart[] = [
    ...(has('scheduler') ? [new Scheduler({ port: port('scheduler'), clock: scope('scheduler'), random: random.fork('scheduler') })] : []),
    // Without controllers, somebody else's volume controller binds what the provisioner creates.
    new (has('controllers') ? VolumeController : VolumeProvisioner)({
      port: port('workloads'),
      clock: scope('volumes'),
      random: random.fork('volumes'),
    }),
    ...machines.parts,
    ...(has('cloud-controller') ? [machines.cloudController] : []),
    writtenHeartbeats
      ? new LeaseHeartbeats({ port: port('node'), clock: scope('leases'), kubelets })
      : new NodeLeases({ port: port('node'), clock: scope('leases'), kubelets }),
    ...(has('controllers')
      ? [
          createControllerManager({
            port: port('workloads'),
            clock: scope('controller-manager'),
            random: random.fork('controller-manager'),
            heartbeats: kubelets,
          }),
          // Trials need none of it, and every object costs them time.
          ...(timeline.virtual
            ? []
            : [
                new NamespaceDefaults({
                  port: port('workloads'),
                  clock: scope('namespace-defaults'),
                  random: random.fork('namespace-defaults'),
                }),
              ]),
        ]
      : []),
  ];

  const clock = scope('wire');
  const gate = new Gate(clock, random.fork('gate'));
  const wires = new WireFactory({
    site,
    clock,
    gate,
    backends: { kube: api.backend, aws: machines.backend },
    latencyMs: options.noLimits === true ? () => undefined : drawRequestDelay,
    ...defined({ targetUser: targetAccount && userNameOf(targetAccount) }),
  });
  const target = new TargetProcess();
  const stopping = new AbortController();
  const running: Promise<void>[] = [];

  return {
    ...EMBEDDED,
    capabilities: timeline.virtual ? EMBEDDED.capabilities : EMBEDDED_IN_REAL_TIME.capabilities,
    allowances: allowancesOf(delays),
    cluster: machines.cluster,
    instanceTypes: catalogue.types,
    timeline,
    start: () => {
      for (const part of parts) running.push(part.run(stopping.signal).catch(site.onFailure));
      return Promise.resolve();
    },
    stop: async () => {
      stopping.abort(new Error('the world is stopping'));
      await Promise.all(running);
      api.stop();
      scopes.kill();
    },
    open: (principal, incarnation, caller) => {
      if (principal === 'target') target.begin(caller);
      return wires.open(principal, incarnation, caller);
    },
    port,
    arm: (injection) => gate.arm(injection),
    ports: { ...machines.ports, watches: api.perturb, processes: target },
  };
}

/** The latency of a request to this world's API server or EC2. */
export function drawRequestDelay(random: Random, operation: Operation): ReturnType<ChainSite['latencyMs']> {
  const totalMs = drawMs(random, operation.wire === 'kube' ? REQUEST_DELAYS.kube : REQUEST_DELAYS.aws);
  const thereMs = Math.ceil(totalMs / 2);
  const workMs = operation.name === 'ec2:CreateFleet' ? drawMs(random, REQUEST_DELAYS.fleet) : 0;
  return { thereMs, workMs, backMs: totalMs - thereMs };
}
