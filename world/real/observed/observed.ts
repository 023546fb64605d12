import { createEc2Client } from '../../../clients/ec2.ts';
import { createKubeClient } from '../../../clients/kube.ts';
import type { AwsCredentials } from '../../../clients/ec2-sdk.ts';
import type { ClusterAccess } from '../../../clients/kubeconfig.ts';
import type { Capability } from '../../../history/capabilities.ts';
import { defined } from '../../../model/defined.ts';
import { loadCatalogue } from '../../../model/instance-catalogue.ts';
import { loadKubeTypes } from '../../../protocols/kube/types.ts';
import { Gate } from '../../../wire/gate.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import { WireError } from '../../../wire/wire.ts';
import { CLUSTER, EMBEDDED } from '../../embedded.ts';
import type { FaultPorts } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';
import { createScopes } from '../../scopes.ts';
import { WireFactory } from '../../wires.ts';
import type { World, WorldSite } from '../../world.ts';
import { ApiFront } from '../api-front.ts';
import { Observation } from '../observation.ts';
import { createPrincipalPorts } from '../principal-ports.ts';
import { factsOfReal } from '../real.ts';
import { OverBudgetError } from '../tenant/budget.ts';
import { cleanUp } from '../tenant/clean.ts';
import { TenantFront } from '../tenant/tenant-front.ts';
import { createTenantPort } from '../tenant/tenant-port.ts';
import { Tenant } from '../tenant/tenant.ts';
import type { Tenancy } from '../tenant/tenant.ts';
import { NodeInstances } from './node-instances.ts';
import { ObservedInstances, POLL_PERIOD_MS } from './observed-instances.ts';

/** How long the target may take to release what an aborted trial created: it terminates real instances. */
const CLEANUP_TIMEOUT_MS = 120_000;

/** How an observer reaches EC2. */
export interface ObservedEc2 {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: AwsCredentials | undefined;
}

/** Options of an observed world. */
export interface ObservedWorldOptions {
  readonly access: ClusterAccess;
  readonly tenancy: Tenancy;
  /** Without it, instances are only inferred from nodes. */
  readonly ec2?: ObservedEc2;
  /** A trial that sees more instances, or nodes, is aborted. */
  readonly maxInstances: number;
}

/** What an observer can't see, one sentence each. */
export const UNSEEN = [
  "Observed only: the target talked to its own endpoints. Its requests were not seen and could not be broken, so checks that judge requests (backing off, acting within limits at each launch, reading notices) had nothing to judge, and a target that died or panicked can't be told from one that is idle.",
  'What a watch or a poll skips was not seen: states that were undone at once, and their exact times.',
] as const;
const UNSEEN_WITHOUT_EC2 =
  "EC2 was not asked (--aws-endpoint): an instance that never became a node, or kept running without one, was not seen. So leaks can't be judged.";
const UNSEEN_BETWEEN_POLLS = `EC2 was asked every ${POLL_PERIOD_MS / 1_000} s: which request launched or terminated an instance is not known.`;

/** The properties of an observed world before a trial. */
export function observedFacts(
  hasEc2: boolean,
): Pick<World, 'name' | 'capabilities' | 'allowances'> & { readonly unseen: readonly string[] } {
  const capabilities: Capability[] = ['objects.observe', ...(hasEc2 ? (['instances.observe'] as const) : [])];
  const { apiMs, watchMs, bindMs, nodeGoneMs, podEndMs } = factsOfReal({}).allowances;
  return {
    name: 'existing (observed)',
    capabilities,
    // Machines are real ones.
    allowances: { ...EMBEDDED.allowances, apiMs, watchMs: watchMs + POLL_PERIOD_MS, bindMs, nodeGoneMs, podEndMs },
    unseen: [...UNSEEN, hasEc2 ? UNSEEN_BETWEEN_POLLS : UNSEEN_WITHOUT_EC2],
  };
}

/**
 * A real cluster and a target that talks to its own endpoints: the world deploys workloads and watches, and nothing of it
 * is between the target and its endpoints. No faults, no machines of ours. Real time.
 */
export function createObservedWorld(site: WorldSite, { access, tenancy, ec2, maxInstances }: ObservedWorldOptions): World {
  const { timeline, random, recorder, onFailure } = site;
  const catalogue = loadCatalogue();
  const scopes = createScopes(timeline);
  const { scope } = scopes;
  const tenant = new Tenant(tenancy);
  const server = createHttpWire(access);
  const aws = ec2 === undefined ? undefined : createHttpWire({ baseUrl: ec2.endpoint });
  const stopping = new AbortController();

  const port = createPrincipalPorts({
    wire: server.wire,
    scope,
    random,
    signal: stopping.signal,
    narrow: (client) => createTenantPort(client, tenant),
  });

  const client =
    ec2 === undefined || aws === undefined
      ? undefined
      : createEc2Client({
          wire: aws.wire,
          clock: scope('ec2 observer'),
          random: random.fork('ec2 observer'),
          region: ec2.region,
          endpoint: ec2.endpoint,
          ...defined({ credentials: ec2.credentials }),
        });
  const instances =
    client === undefined
      ? new NodeInstances(port('observer'))
      : new ObservedInstances({
          ec2: client,
          clock: scope('ec2 observer'),
          recorder,
          instanceType: (type) => catalogue.types.get(type),
          poolPrefix: tenant.objectPrefix,
          onFailure,
        });
  instances.onChange(() => {
    if (instances.list().length > maxInstances) onFailure(new OverBudgetError(maxInstances, 'seen'));
  });
  const observation = new Observation({
    port: port('observer'),
    clock: scope('observation'),
    recorder,
    isOwn: () => false,
    unknownPrincipal: 'target',
  });
  const parts: readonly WorldPart[] = [observation, instances];

  const clock = scope('wire');
  const front = new ApiFront({ server: server.wire, types: loadKubeTypes() });
  const wires = new WireFactory({
    site,
    clock,
    gate: new Gate(clock, random.fork('gate')),
    backends: { kube: new TenantFront({ front, server: server.wire, tenant, keeps: () => true }), aws: nobody() },
    latencyMs: () => ({ thereMs: 0, workMs: 0, backMs: 0 }),
  });
  const running: Promise<void>[] = [];
  const clean = async (): Promise<void> => {
    const cleaner = scope('cleaner');
    const kube = createKubeClient({ wire: server.wire, clock: cleaner });
    const left = await cleanUp({
      client: kube,
      clock: cleaner,
      owner: tenant,
      timeoutMs: CLEANUP_TIMEOUT_MS,
      removeFinalizers: false,
      runContinues: true,
    });
    if (left.length > 0) throw new Error(`objects of an earlier trial still exist: ${left.join(', ')}`);
  };

  return {
    ...observedFacts(ec2 !== undefined),
    cluster: { ...CLUSTER, objectPrefix: tenant.objectPrefix },
    instanceTypes: catalogue.types,
    timeline,
    start: async () => {
      await clean();
      if (instances instanceof ObservedInstances) await instances.begin();
      await observation.begin();
      for (const part of parts) running.push(part.run(stopping.signal).catch(onFailure));
    },
    stop: async () => {
      stopping.abort(new Error('the world is stopping'));
      await Promise.all(running);
      client?.destroy();
      aws?.destroy();
      server.destroy();
      scopes.kill();
    },
    open: (principal, incarnation, caller) => wires.open(principal, incarnation, caller),
    port,
    arm: () => {
      throw new Error('an observed world has no wire of the target to break');
    },
    ports: observersPorts(instances),
    poolFor: (pool, features) => tenant.poolFor(pool, features.includes('taints')),
    clean,
  };
}

/** An observed world's AWS wire has no backend: its operator uses only the cluster. */
function nobody(): ApiFront {
  return new ApiFront({
    server: () => Promise.reject(new WireError('ECONNREFUSED', 'an observed world has no AWS')),
    types: loadKubeTypes(),
  });
}

/** An observed world can't inject faults. */
function observersPorts(instances: FaultPorts['instances']): FaultPorts {
  const none = (): never => {
    throw new Error("an observed world can't inject faults");
  };
  return {
    capacity: { limit: none, refuse: none },
    throttle: { limit: none },
    quota: { limitVcpus: none, limitInstances: none, limitLaunches: none, limitAddresses: none },
    hostnames: { nameByInstance: none },
    reads: { delay: none },
    instanceFaults: { failLaunches: none, endRunning: none, delayEndings: none },
    nodes: { arm: none },
    spot: { interrupt: none },
    queue: { perturb: none, put: none, scheduleChange: none },
    handlers: { install: none },
    instances,
    templates: { list: () => [] },
    templateFaults: { deleteTemplates: none },
    cloud: { holdUp: none },
    watches: { lag: none, close: none },
    processes: { pause: none, skewClock: none },
  };
}
