import type { ClusterAccess } from '../../clients/kubeconfig.ts';
import { defined } from '../../model/defined.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import type { Node } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import { loadKubeTypes } from '../../protocols/kube/types.ts';
import { Gate } from '../../wire/gate.ts';
import { createKubeClient } from '../../clients/kube.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import { CLUSTER, EMBEDDED_IN_REAL_TIME, drawRequestDelay } from '../embedded.ts';
import { QUICK_MACHINES } from '../machine-delays.ts';
import { createMachines } from '../machines.ts';
import { VolumeProvisioner } from '../scheduler/volume-provisioner.ts';
import { STATUS_REPORT_PERIOD_MS } from '../nodes/kubelet.ts';
import { Kubelets } from '../nodes/kubelets.ts';
import type { NodesKind } from '../nodes/nodes-site.ts';
import type { ClusterPort } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';
import { createScopes } from '../scopes.ts';
import { WireFactory } from '../wires.ts';
import type { World, WorldSite } from '../world.ts';
import { ApiFront } from './api-front.ts';
import { LeaseHeartbeats } from '../nodes/lease-heartbeats.ts';
import { createLocalStack } from './localstack/localstack.ts';
import type { LocalStackSite } from './localstack/localstack.ts';
import { Observation } from './observation.ts';
import { createPrincipalPorts } from './principal-ports.ts';
import { OverBudgetError } from './tenant/budget.ts';
import { cleanUp } from './tenant/clean.ts';
import { SOLE_TENANT } from './tenant/sole-tenant.ts';
import { TenantFront } from './tenant/tenant-front.ts';
import { createTenantPort } from './tenant/tenant-port.ts';
import { Tenant } from './tenant/tenant.ts';
import type { Tenancy } from './tenant/tenant.ts';

const WATCH_MS = 2_000;
/** A scheduler retries what it could not place after its backoff, and flushes leftovers after 5 minutes at the latest. */
const BIND_MS = 15_000;
/** How long a real control plane takes to find a dead node: its grace period, its monitor's period, and the cloud controller's. */
const NODE_GONE_MS = 90_000;
/** Deletion to gone: the pod garbage collector runs every 20 s, and has a quarantine. */
const POD_END_MS = 80_000;

/** How long a trial's leftovers may take to go by themselves before their finalizers are removed: the finalizers' owner is gone. */
const CLEANUP_TIMEOUT_MS = 5_000;

/** The properties of a real cluster with simulated nodes before a trial. */
const REAL: Pick<World, 'name' | 'capabilities' | 'allowances'> = {
  name: 'existing',
  capabilities: EMBEDDED_IN_REAL_TIME.capabilities.filter((capability) => !['watch.perturb', 'volumes.create'].includes(capability)),
  allowances: {
    ...EMBEDDED_IN_REAL_TIME.allowances,
    watchMs: WATCH_MS,
    bindMs: BIND_MS,
    nodeGoneMs: NODE_GONE_MS,
    podEndMs: POD_END_MS,
  },
};

/** The properties of a real world before it is created. */
export function factsOfReal({ nodes, createsVolumes = false }: Pick<RealWorldOptions, 'nodes' | 'createsVolumes'>): typeof REAL {
  const more = createsVolumes ? (['volumes.create'] as const) : [];
  return {
    ...REAL,
    capabilities: [...REAL.capabilities, ...more].filter((capability) => nodes?.lacks.includes(capability) !== true),
    allowances: { ...REAL.allowances, ...nodes?.allowances },
  };
}

/** Options of a real world. */
export interface RealWorldOptions {
  /** With an administrator's permissions. */
  readonly access: ClusterAccess;
  /** A LocalStack for machines and the interruption queue; by default they are in memory. */
  readonly ec2?: Pick<LocalStackSite, 'endpoint' | 'onAccount'>;
  /** By default simulated kubelets. */
  readonly nodes?: NodesKind;
  /** Creates volumes for claims of the EBS driver's classes; by default not, since the cluster may have that driver. */
  readonly createsVolumes?: boolean;
  /** Identifies the run, if it shares the cluster. */
  readonly tenancy?: Tenancy;
  /** Whether the target is confined to the run's objects; by default it is. */
  readonly guardsTarget?: boolean;
  /** Maximum instances that a trial may launch; by default unlimited. */
  readonly maxInstances?: number;
}

/**
 * A real cluster with our EC2 beside it: API server, scheduler and controller manager are the cluster's; kubelets, cloud
 * controller and EC2 are ours, and our kubelets' nodes join the cluster. Real time.
 */
export function createRealWorld(
  site: WorldSite,
  { access, ec2, nodes, createsVolumes, tenancy, guardsTarget = true, maxInstances }: RealWorldOptions,
): World {
  const { timeline, random, recorder, onFailure } = site;
  const facts = factsOfReal(defined({ nodes, createsVolumes }));
  const catalogue = loadCatalogue();
  const scopes = createScopes(timeline);
  const { scope } = scopes;
  const server = createHttpWire(access);
  const stopping = new AbortController();
  /** The cluster's own nodes, from before the trial. */
  const own = new Set<string>();
  const tenant = tenancy === undefined ? undefined : new Tenant(tenancy);
  const cluster = tenant === undefined ? CLUSTER : { ...CLUSTER, objectPrefix: tenant.objectPrefix };

  const port = createPrincipalPorts({
    wire: server.wire,
    scope,
    random,
    signal: stopping.signal,
    narrow: (client) => (tenant === undefined ? withoutOwn(client, own) : createTenantPort(client, tenant)),
  });

  const localStack =
    ec2 === undefined
      ? undefined
      : createLocalStack({ ...ec2, clock: scope('localstack'), random: random.fork('localstack'), cluster, onFailure });
  const machines = createMachines({
    random,
    recorder,
    catalogue,
    cluster,
    delays: QUICK_MACHINES,
    port,
    scope,
    nodes: nodes?.create ?? ((nodesSite) => new Kubelets({ ...nodesSite, statusReportPeriodMs: STATUS_REPORT_PERIOD_MS })),
    ...defined({ elsewhere: localStack }),
  });
  const observation = new Observation({
    port: port('observer'),
    clock: scope('observation'),
    recorder,
    isOwn: (node) => own.has(node),
  });
  const parts: readonly WorldPart[] = [
    observation,
    ...machines.parts,
    machines.cloudController,
    ...(facts.capabilities.includes('volumes.create')
      ? [new VolumeProvisioner({ port: port('workloads'), clock: scope('volumes'), random: random.fork('volumes') })]
      : []),
    // Real kubelets renew their leases themselves.
    ...(machines.nodes instanceof Kubelets
      ? [new LeaseHeartbeats({ port: port('node'), clock: scope('leases'), kubelets: machines.nodes })]
      : []),
  ];
  const clock = scope('wire');
  const gate = new Gate(clock, random.fork('gate'));
  const apiFront = new ApiFront({ server: server.wire, types: loadKubeTypes() });
  const keeps = (principal: Principal): boolean => principal === 'scenario' || (principal === 'target' && guardsTarget);
  const front = tenant === undefined ? apiFront : new TenantFront({ front: apiFront, server: server.wire, tenant, keeps });
  const wires = new WireFactory({
    site,
    clock,
    gate,
    backends: { kube: front, aws: machines.backend },
    // EC2 is ours here too, with the embedded world's latency; the API server has its own.
    latencyMs: (drawn, operation) => (operation.wire === 'aws' ? drawRequestDelay(drawn, operation) : undefined),
  });
  const running: Promise<void>[] = [];
  if (maxInstances !== undefined) {
    machines.ports.quota.limitLaunches({ count: maxInstances, fired: () => onFailure(new OverBudgetError(maxInstances, 'launched')) });
  }
  const clean = async (): Promise<void> => {
    const clock = scope('cleaner');
    const cleaning = { client: createKubeClient({ wire: server.wire, clock }), clock, owner: tenant ?? SOLE_TENANT };
    const left = await cleanUp({ ...cleaning, timeoutMs: CLEANUP_TIMEOUT_MS, removeFinalizers: true, runContinues: true });
    if (left.length > 0) throw new Error(`objects of an earlier trial still exist: ${left.join(', ')}`);
  };

  return {
    ...facts,
    cluster: machines.cluster,
    instanceTypes: catalogue.types,
    timeline,
    start: async () => {
      await localStack?.start();
      await clean();
      for (const node of await port('observer').list<Node>('nodes')) own.add(node.metadata.name ?? '');
      await observation.begin();
      for (const part of parts) running.push(part.run(stopping.signal).catch(site.onFailure));
    },
    stop: async () => {
      stopping.abort(new Error('the world is stopping'));
      await Promise.all(running);
      server.destroy();
      await localStack?.stop().catch(onFailure);
      scopes.kill();
    },
    open: (principal, incarnation, caller) => wires.open(principal, incarnation, caller),
    port,
    arm: (injection) => gate.arm(injection),
    ports: { ...machines.ports, watches: { lag: lacking, close: lacking }, processes: { pause: lacking, skewClock: lacking } },
    clean,
    ...defined({ poolFor: tenant && ((pool, features) => tenant.poolFor(pool, features.includes('taints'))) }),
  };
}

/** Faults of the API server and of the target's process are not available: both are real processes. */
function lacking(): never {
  throw new Error('a real world does not have this port');
}

/** The cluster without its own nodes. */
function withoutOwn(port: ClusterPort, own: ReadonlySet<string>): ClusterPort {
  const isShown = (resource: string, name: string | undefined): boolean => resource !== 'nodes' || !own.has(name ?? '');
  return {
    ...port,
    list: async (resource, filter) => {
      const objects = await port.list<never>(resource, filter);
      return objects.filter(({ metadata }: { metadata: { name?: string } }) => isShown(resource, metadata.name));
    },
    watch: (resource, signal, onChange) => {
      port.watch<never>(resource, signal, (change: { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: { metadata: { name?: string } } }) => {
        if (isShown(resource, change.object.metadata.name)) onChange(change as never);
      });
    },
  };
}
