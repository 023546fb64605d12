import { Ec2Error } from '../../clients/ec2-client.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { KubeObject, Pod } from '../../model/kube.ts';
import type { ClockScope } from '../../runtime/clock.ts';
import { never } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { WireError } from '../../wire/wire.ts';
import type { Wire } from '../../wire/wire.ts';
import { createApiServer } from '../../world/kube/api-server.ts';
import type { ClusterPort } from '../../world/ports.ts';
import type { NodeClaim } from '../api.ts';
import { createContext } from '../context.ts';
import type { Context } from '../context.ts';
import { startController } from '../controller.ts';
import { CRDS } from '../crds.ts';
import { createParts } from '../parts.ts';
import { FakeEc2, fakeEc2Client } from './fake-ec2.ts';
import type { Interceptor } from './fake-ec2.ts';

const CLUSTER: ClusterConfig = {
  name: 'test',
  region: 'us-east-1',
  subnets: { 'us-east-1a': 'subnet-a', 'us-east-1b': 'subnet-b' },
  securityGroupId: 'sg-1',
  imageIds: { x86_64: 'ami-x', arm64: 'ami-a' },
};

export type Moment = 'before' | 'after';
/** What happens to a request: the autoscaler crashes, the connection breaks, or the answer is an error to be retried in a second. */
export type Strike = 'crash' | 'lose' | 'busy';
/** Decides what happens to each request, by its name, before and after its effect. */
export type Meddle = (request: string, moment: Moment) => Strike | undefined;

class BusyError extends Error {}

/** A test bench: the autoscaler with controls and observations. */
export interface Bench {
  readonly ec2: FakeEc2;
  readonly port: ClusterPort;
  readonly clock: ClockScope;
  readonly log: string[];
  meddle: Meddle;
  readonly requests: string[];
  claims(): Promise<NodeClaim[]>;
  /** Starts the autoscaler; it is restarted whenever it crashes. */
  start(): void;
  context(): Context;
}

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const LATENCY_MS = 20;

/** Runs `work` with an autoscaler against a real API server and a fake EC2, without kubelets, in virtual time. */
export async function withBench(seed: number, work: (bench: Bench) => Promise<void>): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const world = timeline.scope('world');
  const server = createApiServer({ clock: world, random: random.fork('kube') });
  const port = server.port('scenario');
  const stopping = new AbortController();
  let scope: ClockScope | undefined;
  let current: Context | undefined;
  let incarnations = 0;

  const bench: Bench = {
    ec2: new FakeEc2(world),
    port,
    clock: timeline.scope('test'),
    log: [],
    meddle: () => undefined,
    requests: [],
    claims: () => port.list<NodeClaim>('nodeclaims'),
    start,
    context: () => {
      if (current === undefined) throw new Error('the autoscaler was not started');
      return current;
    },
  };

  /** A request's way: there, its effect, and back; it may end at each step. */
  async function travel<T>(own: ClockScope, name: string, mutating: boolean, lost: () => Error, effect: () => Promise<T>): Promise<T> {
    const strike = async (moment: Moment): Promise<void> => {
      const what = mutating && !own.killed ? bench.meddle(name, moment) : undefined;
      if (what === 'crash') {
        own.kill();
        void world.sleep(1_000).then(start);
        await never();
      }
      if (what === 'lose') throw lost();
      if (what === 'busy') throw new BusyError();
    };
    await world.sleep(LATENCY_MS);
    await strike('before');
    if (mutating) bench.requests.push(name);
    const result = await effect();
    await strike('after');
    await world.sleep(LATENCY_MS);
    return result;
  }

  function start(): void {
    if (stopping.signal.aborted) return;
    incarnations += 1;
    const own = timeline.scope(`autoscaler ${incarnations}`);
    scope = own;
    const kube: Wire = async (request) => {
      if (own.killed) return never();
      const operation = server.backend.describe(request);
      const caller = { principal: 'target', incarnation: incarnations, span: 0 } as const;
      const lost = (): Error => new WireError('ECONNRESET', 'the connection broke');
      try {
        return await travel(own, operation.name, operation.mutating, lost, () => server.backend.handle(request, operation, caller));
      } catch (error) {
        if (!(error instanceof BusyError)) throw error;
        return { status: 503, headers: { 'content-type': 'application/json', 'retry-after': '1' }, body: '{}' };
      }
    };
    const pass: Interceptor = (name, mutating, effect) =>
      own.call(name, () =>
        own.park(
          travel(
            own,
            name,
            mutating,
            () => new Ec2Error('ECONNRESET', 0, 'the connection broke'),
            () => Promise.resolve().then(effect),
          ).catch((error: unknown) => {
            throw error instanceof BusyError ? new Ec2Error('Unavailable', 503, 'try again') : error;
          }),
        ),
      );
    const runtime = {
      clock: own,
      random: random.fork(`autoscaler ${incarnations}`),
      signal: stopping.signal,
      log: (level: string, message: string, fields: object = {}) => {
        if (!own.killed) bench.log.push(`${level} ${message} ${JSON.stringify(fields)}`);
      },
    };
    current = createContext({ runtime, kube, ec2: fakeEc2Client(bench.ec2, Object.keys(CLUSTER.subnets), pass), cluster: CLUSTER });
    void startController(current, createParts(current)).done;
  }

  const main = async (): Promise<void> => {
    for (const crd of CRDS) await port.create('customresourcedefinitions', crd);
    await port.create('ec2nodeclasses', nodeClass());
    await port.create('nodepools', nodePool());
    await work(bench);
    stopping.abort(new Error('the test is over'));
    scope?.kill();
    server.stop();
  };
  await timeline.run(main());
}

function nodeClass(): KubeObject {
  const spec = { amiSelectorTerms: [{ id: 'ami-x' }], subnetSelectorTerms: [{ id: 's' }], securityGroupSelectorTerms: [{ id: 'sg' }] };
  return { metadata: { name: 'default' }, spec } as KubeObject;
}

function nodePool(): KubeObject {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return { metadata: { name: 'default' }, spec: { template: { spec: { requirements: [], nodeClassRef } } } } as KubeObject;
}

/** A pod that the scheduler marked as unschedulable. */
export async function createPendingPod(port: ClusterPort, name: string, cpu = '1', labels: Record<string, string> = {}): Promise<Pod> {
  await port.create<Pod>('pods', {
    metadata: { name, namespace: 'default', labels },
    spec: { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu } } }] },
  });
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no nodes' }];
  return port.patch<Pod>({ resource: 'pods', namespace: 'default', name }, { status: { conditions } }, 'status');
}
