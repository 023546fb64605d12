import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Recorder } from '../../history/events.ts';
import { createRecorder } from '../../history/writer.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Log } from '../../runtime/log.ts';
import { serveWire } from '../../wire/http-server.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import { QUICK_MACHINES } from '../../world/machine-delays.ts';
import { openSockets } from '../../world/sockets.ts';
import type { Sockets } from '../../world/sockets.ts';
import type { World } from '../../world/world.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { EXIT } from '../usage-error.ts';
import { CONTROL_VARIABLE, createControl } from './control.ts';
import { Injections } from './injections.ts';

/** The flags of `world up`. */
export interface WorldUpOptions {
  readonly seed: number;
  /** Machines take seconds instead of a minute. */
  readonly quick: boolean;
  /** A history of everything that happens is written here. */
  readonly history: string | undefined;
  readonly json: boolean;
}

/** How a user gets into the world, by what is started with it. */
interface Access {
  /** For the autoscaler: what is asked here can be broken. */
  readonly target: Sockets;
  /** For people and tools: never broken. */
  readonly operator: Sockets;
  readonly controlUrl: string;
}

/**
 * `scaleproof world up`: the embedded world on loopback sockets, in real time, until Ctrl-C. Prints what programs have to
 * be started with; everything that it wrote on the machine is removed at the end but for the history asked for.
 * @returns the exit code
 */
export async function worldUp(options: WorldUpOptions, console: Console): Promise<number> {
  const interrupted = interruption();
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-world-'));
  const endings: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const failed = Promise.withResolvers<Error>();
  const log: Log = (_level, message) => console.err(`${message}\n`);
  try {
    const history = openHistory(options.history);
    endings.push(() => history.close());
    const world = createWorld(options, history.recorder, console, (error) => failed.resolve(error));
    endings.push(() => world.stop());
    await world.start();
    const target = await openSockets({ world, principal: 'target', kubeconfigPath: join(folder, 'autoscaler.kubeconfig'), log });
    endings.push(() => target.close());
    const operator = await openSockets({ world, principal: 'scenario', kubeconfigPath: join(folder, 'operator.kubeconfig'), log });
    endings.push(() => operator.close());
    const injections = new Injections(world, ({ id, description }, note) =>
      console.err(`${id} fires: ${description}${note === undefined ? '' : ` (${note})`}\n`),
    );
    const control = await serveWire({ wire: createControl(injections), log });
    endings.push(() => control.close());
    print({ target, operator, controlUrl: control.url }, options, console);
    const error = await Promise.race([failed.promise, aborted(interrupted.signal)]);
    if (error === undefined) return EXIT.pass;
    console.err(`scaleproof: the world failed: ${error.stack ?? error.message}\n`);
    return EXIT.unknown;
  } finally {
    for (const end of endings.reverse()) await end();
    interrupted.release();
  }
}

function createWorld(options: WorldUpOptions, recorder: Recorder, console: Console, onFailure: (error: Error) => void): World {
  const world = createEmbeddedWorld(
    {
      timeline: createRealTimeline(),
      random: createRandom(options.seed),
      recorder,
      // Nobody here can kill a user's program: faults that would are refused, by the capability below.
      onKill: () => undefined,
      onFailure,
      onFlood: (message) => console.err(`the autoscaler floods the world: ${message}\n`),
    },
    options.quick ? { delays: QUICK_MACHINES } : {},
  );
  return { ...world, capabilities: world.capabilities.filter((capability) => capability !== 'target.kill') };
}

/** Without a file nothing is recorded. */
function openHistory(path: string | undefined): { readonly recorder: Recorder; close(): void } {
  if (path === undefined) return { recorder: { record: () => 0 }, close: () => undefined };
  const file = openSync(resolve(path), 'wx');
  const clock = createRealTimeline();
  const recorder = createRecorder({ nowMs: () => clock.nowMs(), startMs: clock.nowMs(), write: (lines) => writeSync(file, lines) });
  return {
    recorder,
    close: () => {
      recorder.flush();
      closeSync(file);
    },
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((settle) => {
    if (signal.aborted) settle(undefined);
    signal.addEventListener('abort', () => settle(undefined), { once: true });
  });
}

function print({ target, operator, controlUrl }: Access, { json, quick }: WorldUpOptions, console: Console): void {
  if (json) {
    const access = { target: target.environment, operator: operator.environment, control: controlUrl };
    console.out(`${JSON.stringify(access)}\n`);
    return;
  }
  const { KUBECONFIG: autoscalerKubeconfig = '', ...shared } = target.environment;
  console.out(
    [
      `# The world is up, ${quick ? 'with machines that boot within seconds' : 'with machines that boot as slowly as real ones'}. Ctrl-C ends it.`,
      '# For the autoscaler (what it asks here can be broken):',
      ...exportsOf({ KUBECONFIG: autoscalerKubeconfig, ...shared }),
      '# For you and your tools (never broken), in another terminal:',
      ...exportsOf({
        KUBECONFIG: operator.environment['KUBECONFIG'] ?? '',
        AWS_ENDPOINT_URL: operator.environment['AWS_ENDPOINT_URL'] ?? '',
        [CONTROL_VARIABLE]: controlUrl,
      }),
      '# Change the market, or break something, while it runs (scaleproof list faults shows what there is):',
      `#   scaleproof world inject insufficient-capacity '{"zones": ["us-east-1a"], "capacityTypes": ["spot"]}'`,
      '#   scaleproof world faults',
      '#   scaleproof world heal fault-1',
      '',
    ].join('\n'),
  );
}

/** Values are ours: paths, URLs, ids. Quoted all the same, since a temporary folder may have any name. */
function exportsOf(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
}
