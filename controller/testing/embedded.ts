import type { NewEvent } from '../../history/events.ts';
import type { Pool } from '../../model/catalogue.ts';
import type { Pod, PodSpec, ReplicaSet } from '../../model/kube.ts';
import type { ClockScope } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { ANY_POOL, reference } from '../../targets/reference.ts';
import type { Target, TargetProcess, TargetSite } from '../../targets/target.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import type { ClusterPort } from '../../world/ports.ts';
import type { Wires, World } from '../../world/world.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const POLL_MS = 1_000;

/** The reference in the embedded world. */
export interface Embedded {
  readonly world: World;
  readonly port: ClusterPort;
  readonly clock: ClockScope;
  readonly events: readonly NewEvent[];
  readonly log: readonly string[];
  /** A spare site: for an operator, or a second autoscaler. It is told to stop with the other. */
  readonly site: TargetSite;
  deploy(name: string, replicas: number, spec: Partial<PodSpec>): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Waits until it holds. @throws with `what` if it does not within the time */
  until(what: string, limitMs: number, holds: () => Promise<boolean>): Promise<void>;
  running(): Promise<Pod[]>;
}

export { ANY_POOL };

/**
 * Runs `work` against a ready reference, in virtual time, and stops everything afterwards.
 * @param target instead of the reference
 */
export async function withEmbedded(
  seed: number,
  pools: readonly Pool[],
  work: (embedded: Embedded) => Promise<void>,
  target: Target = reference,
): Promise<void> {
  const random = createRandom(seed);
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const events: NewEvent[] = [];
  const log: string[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const world = createEmbeddedWorld({
    timeline,
    random: random.fork('world'),
    recorder: { record: (event) => events.push(event) },
    onKill: (_principal, incarnation) => {
      if (incarnation !== incarnations) return;
      current.scope.kill();
      current.wires.close();
      current = start();
    },
    onFailure: (error) => failure.reject(error),
    onFlood: (message) => failure.reject(new Error(message)),
  });
  const stopping = new AbortController();
  let incarnations = 0;
  const open = (): { scope: ClockScope; wires: Wires; site: TargetSite } => {
    incarnations += 1;
    const scope = timeline.scope(`target ${incarnations}`);
    const wires = world.open('target', incarnations, scope);
    const note: Log = (level, message, fields) => {
      if (!scope.killed) log.push(`${scope.nowMs() - START_MS} ${level} ${message} ${JSON.stringify(fields ?? {})}`);
    };
    const runtime = { clock: scope, random: random.fork(`target ${incarnations}`), signal: stopping.signal, log: note };
    return { scope, wires, site: { kube: wires.kube, aws: wires.aws, cluster: world.cluster, runtime } };
  };
  const start = (): ReturnType<typeof open> & { process: TargetProcess } => {
    const opened = open();
    return { ...opened, process: target.start(opened.site) };
  };
  const { site } = open();
  let current: ReturnType<typeof start>;
  const clock = timeline.scope('test');
  const port = world.port('scenario');
  const embedded: Embedded = {
    world,
    port,
    clock,
    events,
    log,
    site,
    deploy: async (name, replicas, spec) => {
      const labels = { app: name };
      await port.create<ReplicaSet>('replicasets', {
        metadata: { name, namespace: 'default' },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'pause' }], ...spec } },
        },
      });
    },
    scale: async (name, replicas) => {
      await port.patch({ resource: 'replicasets', namespace: 'default', name }, { spec: { replicas } });
    },
    until: async (what, limitMs, holds) => {
      const endMs = clock.nowMs() + limitMs;
      while (!(await holds())) {
        if (clock.nowMs() >= endMs) throw new Error(`not within ${limitMs} ms: ${what}\n${log.slice(-40).join('\n')}`);
        await clock.sleep(POLL_MS);
      }
    },
    running: async () => (await port.list<Pod>('pods', { namespace: 'default' })).filter(({ status }) => status?.phase === 'Running'),
  };
  const main = async (): Promise<void> => {
    await world.start();
    await target.install(site);
    await target.applyPools(site, pools);
    current = start();
    await current.process.ready;
    await work(embedded);
    stopping.abort(new Error('the test is over'));
    await current.process.done;
    await world.stop();
  };
  await timeline.run(Promise.race([main(), failure.promise]));
}

/** Containers that request this much CPU. */
export function asking(cpu: string): Pick<PodSpec, 'containers'> {
  return { containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu } } }] };
}
