import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { defined } from '../../model/defined.ts';
import type { ServiceAccountName } from '../../model/service-account.ts';
import type { Recorder } from '../../history/events.ts';
import { createRecorder } from '../../history/writer.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Log } from '../../runtime/log.ts';
import { serveWire } from '../../wire/http-server.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import type { ReplaceablePart } from '../../world/replaceable.ts';
import { QUICK_MACHINES } from '../../world/machine-delays.ts';
import { openSockets } from '../../world/sockets.ts';
import type { Sockets } from '../../world/sockets.ts';
import type { World } from '../../world/world.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { CONTROL_VARIABLE, createControl } from './control.ts';
import { Injections } from './injections.ts';
import { writeReferenceStart } from './manifests.ts';
import type { ReferenceStart } from './manifests.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import { findOwner } from './owner.ts';

/** The flags of `world up`. */
export interface WorldUpOptions {
  readonly seed: number;
  /** Machines take seconds instead of a minute. */
  readonly quick: boolean;
  /** File for a history of everything that happens. */
  readonly history: string | undefined;
  /** Requests take no time, and EC2 takes any number of them. */
  readonly noLimits: boolean;
  readonly json: boolean;
  /** Parts that other programs replace. */
  readonly without: readonly ReplaceablePart[];
  /** Roles decide, and this is the autoscaler's service account. */
  readonly rbac: ServiceAccountName | undefined;
  /** Addresses of programs that are services, for webhooks. */
  readonly services: ReadonlyMap<string, string>;
  /** The id of a process that the world does not outlive. */
  readonly while: number | undefined;
}

/** How a user connects to the world. */
interface Access {
  /** For the autoscaler: faults affect requests to these addresses. */
  readonly target: Sockets;
  /** For people and tools: faults never affect these. */
  readonly operator: Sockets;
  readonly controlUrl: string;
  readonly reference: ReferenceStart;
}

/**
 * `scaleproof world up`: the embedded world on loopback sockets, in real time, until Ctrl-C, or until a named process is gone.
 * Prints the settings for programs that use it. At the end it removes everything that it wrote, except the history.
 * @returns the exit code
 * @throws UsageError when the history can't be written there, or the named process is gone already
 */
export async function worldUp(options: WorldUpOptions, console: Console): Promise<number> {
  const owner = options.while === undefined ? undefined : await findOwner(options.while, createPrograms());
  if (options.while !== undefined && owner === undefined) throw new UsageError(`--while: there is no process ${options.while}`);
  const interrupted = interruption();
  const over = new AbortController();
  const endings: (() => Promise<void> | void)[] = [() => interrupted.release(), () => over.abort()];
  const failed = Promise.withResolvers<Error>();
  const log: Log = (_level, message) => console.err(`${message}\n`);
  try {
    const history = openHistory(options.history);
    endings.push(() => history.close());
    const folder = openFolder();
    endings.push(() => folder.remove());
    const world = createWorld(options, history.recorder, console, (error) => failed.resolve(error));
    endings.push(() => world.stop());
    await world.start();
    const target = await openSockets({ world, principal: 'target', kubeconfigPath: join(folder.path, 'autoscaler.kubeconfig'), log });
    endings.push(() => target.close());
    const operator = await openSockets({ world, principal: 'scenario', kubeconfigPath: join(folder.path, 'operator.kubeconfig'), log });
    endings.push(() => operator.close());
    const injections = new Injections(world, ({ id, description }, note) =>
      console.err(`${id} fires: ${description}${note === undefined ? '' : ` (${note})`}\n`),
    );
    const control = await serveWire({ wire: createControl(injections), log });
    endings.push(() => control.close());
    const reference = writeReferenceStart(folder.path, world.cluster);
    print({ target, operator, controlUrl: control.url, reference }, options, console);
    const reasons: Promise<Error | undefined | void>[] = [failed.promise, aborted(interrupted.signal)];
    if (owner !== undefined) reasons.push(owner.untilGone(createRealTimeline().scope('owner'), over.signal));
    const error = await Promise.race(reasons);
    if (!(error instanceof Error)) return EXIT.pass;
    console.err(`scaleproof: the world failed: ${error.stack ?? error.message}\n`);
    return EXIT.unknown;
  } finally {
    await endAll(endings);
  }
}

/** Stops everything that was started, in reverse order, even if some of it fails. @throws AggregateError of all failures */
async function endAll(endings: (() => Promise<void> | void)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const end of endings.reverse()) {
    try {
      await end();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'not every part of the world could be stopped');
}

/** A temporary folder. It is removed even after a second Ctrl-C or an uncaught error. */
function openFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'scaleproof-world-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}

function createWorld(options: WorldUpOptions, recorder: Recorder, console: Console, onFailure: (error: Error) => void): World {
  const world = createEmbeddedWorld(
    {
      timeline: createRealTimeline(),
      random: createRandom(options.seed),
      recorder,
      // Scaleproof can't kill a user's program here: the missing capability below refuses faults that would.
      onKill: () => undefined,
      onFailure,
      ...(options.noLimits ? { maxRequests: Number.POSITIVE_INFINITY } : {}),
      onFlood: (message) => console.err(`the autoscaler floods the world: ${message}\n`),
    },
    {
      ...(options.quick ? { delays: QUICK_MACHINES } : {}),
      noLimits: options.noLimits,
      writtenHeartbeats: true,
      without: options.without,
      services: options.services,
      ...defined({ targetAccount: options.rbac }),
    },
  );
  return { ...world, capabilities: world.capabilities.filter((capability) => capability !== 'target.kill') };
}

/** Without a file nothing is recorded. Each event is flushed, so that the file can be followed. @throws UsageError */
function openHistory(path: string | undefined): { readonly recorder: Recorder; close(): void } {
  if (path === undefined) return { recorder: { record: () => 0 }, close: () => undefined };
  const file = openNew(resolve(path));
  const clock = createRealTimeline();
  const recorder = createRecorder({ nowMs: () => clock.nowMs(), startMs: clock.nowMs(), write: (lines) => writeSync(file, lines) });
  return {
    recorder: {
      record: (event) => {
        const place = recorder.record(event);
        recorder.flush();
        return place;
      },
    },
    close: () => closeSync(file),
  };
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new UsageError(
      isThere
        ? `${path} already exists: name a new file for the history`
        : `the history can't be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((settle) => {
    if (signal.aborted) settle(undefined);
    signal.addEventListener('abort', () => settle(undefined), { once: true });
  });
}

function print(access: Access, { json, quick, noLimits, without }: WorldUpOptions, console: Console): void {
  const { target, operator, controlUrl, reference } = access;
  if (json) {
    const printed = { target: target.environment, operator: operator.environment, control: controlUrl, reference };
    console.out(`${JSON.stringify(printed)}\n`);
    return;
  }
  const crds = quote(reference.crds);
  console.out(
    [
      `# The world is up, ${quick ? 'with machines that boot within seconds' : 'with machines that boot as slowly as real ones'}. Ctrl-C ends it.`,
      ...(noLimits ? ['# Without limits: requests take no time of their own, and EC2 takes any number of them.'] : []),
      ...(without.length === 0 ? [] : [`# It has no ${without.join(', no ')}: start yours with the operator's variables.`]),
      '# For the autoscaler (faults affect its requests):',
      ...exportsOf(target.environment),
      '# For you and your tools (faults never affect them), in another terminal:',
      ...exportsOf({ ...operator.environment, [CONTROL_VARIABLE]: controlUrl }),
      '# The bundled autoscaler: first apply its objects, with your variables, then start it, with its own variables (docs/controller.md):',
      `#   kubectl apply -f ${crds} && kubectl wait --for condition=established -f ${crds} && kubectl apply -f ${quote(reference.pools)}`,
      `#   ${reference.command.map(quote).join(' ')}`,
      '# Change the market or inject a fault while it runs (scaleproof list faults shows all faults):',
      `#   scaleproof world inject insufficient-capacity '{"zones": ["us-east-1a"], "capacityTypes": ["spot"]}'`,
      '#   scaleproof world faults',
      '#   scaleproof world heal fault-1',
      '',
    ].join('\n'),
  );
}

function exportsOf(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${quote(value)}`);
}

/** Quotes a word for a shell: the path of a temporary folder may contain any character. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
