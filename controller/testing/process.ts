import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withParent } from '../../cli/testing/processes.ts';
import type { Bound, NewEvent } from '../../history/events.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { reference } from '../../targets/reference.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import { QUICK_MACHINES } from '../../world/machine-delays.ts';
import { openSockets } from '../../world/sockets.ts';
import type { Sockets } from '../../world/sockets.ts';
import type { World } from '../../world/world.ts';
import { Notifier } from '../core/notifier.ts';
import { ANY_POOL } from './embedded.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
/** From a signal to the exit of the process. */
export const EXIT_LIMIT_MS = 10_000;
/** From the start to the first line, or to the exit if it can't run. */
export const START_LIMIT_MS = 30_000;

/** The autoscaler's process. */
export interface Started {
  readonly child: ChildProcess;
  /** Exit code and signal. */
  readonly ended: Promise<unknown[]>;
  /** Its standard error so far. */
  said(): string;
}

const timeline = createRealTimeline();
export const clock = timeline.scope('test');

/** Starts the process; afterwards it has exited in any case. */
export async function withProcess(environment: Readonly<Record<string, string>>, work: (started: Started) => Promise<void>): Promise<void> {
  const child = spawn(...withParent(process.execPath, [MAIN]), { stdio: ['ignore', 'ignore', 'pipe'], env: environment });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(child, 'close');
  try {
    await work({ child, ended, said: () => said });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

export async function within<T>(limitMs: number, what: string, event: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const late = clock.sleep(limitMs, waiting.signal).then(() => Promise.reject(new Error(`not within ${limitMs} ms: ${what}`)));
  return Promise.race([event, late]).finally(() => waiting.abort(new Error('waited for long enough')));
}

/** Tells a process to stop. @returns its exit code and signal */
export function stop({ child, ended }: Started): Promise<unknown[]> {
  child.kill('SIGTERM');
  return within(EXIT_LIMIT_MS, 'the process stopped', ended);
}

/** A world in real time with the autoscaler installed, and the target's sockets. All is closed afterwards. */
export async function withWorld(
  kubeconfigPath: string,
  work: (world: World, sockets: Sockets, over: AbortController, events: readonly NewEvent[]) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const fail = (error: Error): void => over.abort(error);
  const events: NewEvent[] = [];
  const world = createEmbeddedWorld(
    {
      timeline,
      random: createRandom(1),
      recorder: { record: (event) => events.push(event) - 1 },
      onKill: () => undefined,
      onFailure: fail,
      onFlood: (message) => fail(new Error(message)),
    },
    { delays: QUICK_MACHINES },
  );
  await world.start();
  try {
    await install(world);
    const sockets = await openSockets({ world, principal: 'target', kubeconfigPath, log: (_level, message) => fail(new Error(message)) });
    try {
      await work(world, sockets, over, events);
    } finally {
      await sockets.close();
    }
  } finally {
    over.abort(new Error('the test is over'));
    await world.stop();
  }
}

/** Installs the autoscaler and its pool like an operator; an empty node may be removed at once. */
async function install(world: World): Promise<void> {
  const wires = world.open('scenario', 1, timeline.scope('operator'));
  const runtime = { clock, random: createRandom(2), signal: new AbortController().signal, log: () => undefined };
  const operator = { kube: wires.kube, aws: wires.aws, cluster: world.cluster, runtime };
  await reference.install(operator);
  await reference.applyPools(operator, [ANY_POOL]);
  wires.close();
  const pool = { resource: 'nodepools', name: ANY_POOL.name };
  await world.port('scenario').patch(pool, { spec: { disruption: { consolidateAfter: '0s' } } });
}

/** Waits for states of the world, checking whenever one of its objects or instances has changed. */
export function watchWorld(world: World, signal: AbortSignal, resources: readonly string[] = []) {
  const news = new Notifier();
  for (const resource of ['pods', 'nodes', 'nodeclaims', ...resources]) world.port('observer').watch(resource, signal, () => news.notify());
  world.ports.instances.onChange(() => news.notify());
  return async (what: string, { value: limitMs }: Pick<Bound, 'value'>, holds: () => Promise<boolean>): Promise<void> => {
    const endMs = clock.nowMs() + limitMs;
    while (!(await holds())) {
      if (!(await news.wait(clock, endMs - clock.nowMs(), signal))) throw new Error(`not within ${limitMs} ms: ${what}`);
    }
  };
}
