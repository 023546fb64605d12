import type { ClusterAccess } from '../../clients/kubeconfig.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import type { Node } from '../../model/kube.ts';
import type { Principal } from '../../model/operation.ts';
import { loadKubeTypes } from '../../protocols/kube/types.ts';
import { Gate } from '../../wire/gate.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import type { Wire } from '../../wire/wire.ts';
import { EMBEDDED_IN_REAL_TIME, CLUSTER } from '../embedded.ts';
import { QUICK_MACHINES } from '../machine-delays.ts';
import { createMachines } from '../machines.ts';
import type { ClusterPort } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';
import { createScopes } from '../scopes.ts';
import { WireRoom } from '../wires.ts';
import type { World, WorldSite } from '../world.ts';
import { agentOf } from './agent.ts';
import { ApiFront } from './api-front.ts';
import { createClientPort } from './client-port.ts';
import { LeaseHeartbeats } from './heartbeats.ts';
import { createLocalStack } from './localstack/localstack.ts';
import { Observation } from './observation.ts';
import { resourceOfPlural } from './resources.ts';

/** A request on loopback or in a data centre, answered by a real API server that is busy with others. */
const API_MS = 2_000;
const WATCH_MS = 2_000;
/** A scheduler looks again at what it could not place after its backoff, and flushes what was left over after 5 minutes at the latest. */
const BIND_MS = 15_000;
/** What a real control plane takes to find a dead node: its grace, its monitor's period, and the cloud controller's. */
const NODE_GONE_MS = 90_000;
/** Deletion to gone: the collector of orphaned pods looks every 20 s, and takes its time to be sure. */
const POD_END_MS = 80_000;

/** What is known of a real cluster before a trial. */
export const REAL: Pick<World, 'name' | 'capabilities' | 'allowances'> = {
  name: 'existing',
  capabilities: EMBEDDED_IN_REAL_TIME.capabilities,
  allowances: {
    ...EMBEDDED_IN_REAL_TIME.allowances,
    apiMs: API_MS,
    watchMs: WATCH_MS,
    bindMs: BIND_MS,
    nodeGoneMs: NODE_GONE_MS,
    podEndMs: POD_END_MS,
  },
};

/**
 * A real cluster with our EC2 beside it: API server, scheduler and controller manager are its own; kubelets, cloud
 * controller and EC2 are ours, and the kubelets' nodes are its. Real time.
 * @param parts.access as an administrator of the cluster
 * @param parts.ec2 where LocalStack is, for machines and the interruption queue to be there; by default they are in memory
 */
export function createRealWorld(
  site: WorldSite,
  { access, ec2 }: { readonly access: ClusterAccess; readonly ec2?: { readonly endpoint: string } },
): World {
  const { timeline, random, recorder, onFailure } = site;
  const catalogue = loadCatalogue();
  const scopes = createScopes(timeline);
  const { scope } = scopes;
  const server = createHttpWire(access);
  const stopping = new AbortController();
  /** Nodes that were there before: the cluster's own. */
  const own = new Set<string>();

  const ports = new Map<Principal, ClusterPort>();
  const port = (principal: Principal): ClusterPort => {
    const known = ports.get(principal);
    if (known !== undefined) return known;
    const runtime = {
      clock: scope(`port of ${principal}`),
      random: random.fork(`port of ${principal}`),
      log: () => undefined,
      signal: stopping.signal,
    };
    const made = withoutOwn(createClientPort({ wire: speakingAs(principal, server.wire), runtime, resource: resourceOfPlural }), own);
    ports.set(principal, made);
    return made;
  };

  const localStack =
    ec2 === undefined
      ? undefined
      : createLocalStack({ ...ec2, clock: scope('localstack'), random: random.fork('localstack'), cluster: CLUSTER, onFailure });
  const machines = createMachines({
    random,
    recorder,
    catalogue,
    cluster: CLUSTER,
    delays: QUICK_MACHINES,
    port,
    scope,
    ...(localStack === undefined ? {} : { elsewhere: localStack }),
  });
  const parts: readonly WorldPart[] = [
    new Observation({ port: port('observer'), clock: scope('observation'), recorder, isOwn: (node) => own.has(node) }),
    ...machines.parts,
    new LeaseHeartbeats({ port: port('node'), clock: scope('leases'), heartbeats: machines.kubelets }),
  ];
  const clock = scope('wire');
  const gate = new Gate(clock, random.fork('gate'));
  const front = new ApiFront({ server: server.wire, types: loadKubeTypes() });
  const wires = new WireRoom({
    site,
    clock,
    gate,
    backends: { kube: front, aws: machines.backend },
    latencyMs: () => ({ thereMs: 0, workMs: 0, backMs: 0 }),
  });
  const running: Promise<void>[] = [];

  return {
    ...REAL,
    cluster: machines.cluster,
    instanceTypes: catalogue.types,
    timeline,
    start: async () => {
      await localStack?.start();
      for (const node of await port('observer').list<Node>('nodes')) own.add(node.metadata.name ?? '');
      for (const part of parts) running.push(part.run(stopping.signal).catch(site.onFailure));
    },
    stop: async () => {
      stopping.abort(new Error('the world stops'));
      await Promise.all(running);
      server.destroy();
      await localStack?.stop().catch(onFailure);
      scopes.kill();
    },
    open: (principal, incarnation, caller) => wires.open(principal, incarnation, caller),
    port,
    arm: (injection) => gate.arm(injection),
    ports: machines.ports,
  };
}

/** Requests that say in whose name they are. */
function speakingAs(principal: Principal, wire: Wire): Wire {
  return (request) => wire({ ...request, headers: { ...request.headers, ...agentOf(principal) } });
}

/** The cluster without the nodes that it had before. */
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
