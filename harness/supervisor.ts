import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { EventOf } from '../history/events.ts';
import { sealHistory } from '../history/seal.ts';
import type { Clock } from '../runtime/clock.ts';
import { DEFAULT_NODES, REPORT_FD } from './trial-spec.ts';
import type { ChildMessage, PhaseBegun, TrialAnswer, TrialCost, TrialSpec, WatchReport } from './trial-spec.ts';
import { WatchedTime } from './watched-time.ts';

/** What a trial may use of the machine. */
export interface TrialLimits {
  /**
   * Most processor time of the main thread that one turn of the trial's event loop may take. The longest legitimate turns
   * compile large WebAssembly modules: 0.4 to 1.3 s for one of 225 MB.
   */
  readonly turnCpuMs: number;
  /** Longest that one turn may take in real time: a thread that is blocked or stopped uses no processor. See `WatchedTime`. */
  readonly turnWallMs: number;
  /** Extra processor time of a turn of a heavy target for each node beyond `DEFAULT_NODES`: a compiled program plans for all pods in one turn. */
  readonly turnCpuMsPerNode: number;
  /** Most processor time of its process that a trial of `DEFAULT_NODES` nodes may take in virtual time. */
  readonly cpuMs: number;
  /** The same if its target is heavy. */
  readonly heavyCpuMs: number;
  /** How many times as long a trial of the profile endurance may take. */
  readonly longFactor: number;
  /** Extra processor time for each node beyond those. */
  readonly cpuMsPerNode: number;
  /** A trial in virtual time may take this many times its processor time in real time. See `WatchedTime`. */
  readonly wallFactor: number;
  /** Most resident memory of the process of a trial of `DEFAULT_NODES` nodes, unless the target declares another limit. */
  readonly rssMiB: number;
  /** Heap limit of that process. */
  readonly heapMiB: number;
  /** Extra memory, of both kinds, for each node beyond those. */
  readonly mibPerNode: number;
}

export const DEFAULT_LIMITS: TrialLimits = {
  turnCpuMs: 10_000,
  turnWallMs: 120_000,
  // Karpenter 1.14.1 as WebAssembly takes more than ten seconds for a thousand pods that each fill a node.
  turnCpuMsPerNode: 100,
  cpuMs: 180_000,
  // An hour of virtual time costs Cluster Autoscaler a minute or two, and it may take hours where capacity is missing.
  heavyCpuMs: 900_000,
  longFactor: 10,
  cpuMsPerNode: 1_000,
  wallFactor: 5,
  rssMiB: 1_536,
  heapMiB: 1_024,
  mibPerNode: 1,
};

/** How long a trial may take, and why. */
interface TimeLimit {
  /** Processor time of its process. Absent in real time, where a trial uses little of it. */
  readonly cpuMs?: number;
  readonly wallMs: number;
  readonly why: string;
}

/**
 * A trial in real time may take as long as its bounds allow. One in virtual time has a budget of processor time, more for
 * larger clusters; on a busy machine it may need several times as long in real time.
 */
export function timeLimitOf(
  { nodes, wallMs, heavy, long }: Pick<TrialSpec, 'nodes' | 'wallMs' | 'heavy' | 'long'>,
  limits: TrialLimits,
): TimeLimit {
  if (wallMs !== undefined) return { wallMs, why: 'the sum of its bounds' };
  const extraNodes = extraNodesOf(nodes);
  const forNodes = `, and ${limits.cpuMsPerNode / 1_000} s for each of ${extraNodes} nodes beyond ${DEFAULT_NODES}`;
  const baseMs = (heavy === true ? limits.heavyCpuMs : limits.cpuMs) * (long === true ? limits.longFactor : 1);
  const cpuMs = baseMs + extraNodes * limits.cpuMsPerNode;
  return {
    cpuMs,
    wallMs: cpuMs * limits.wallFactor,
    why: `${baseMs / 1_000} s of processor time${extraNodes === 0 ? '' : forNodes}; in real time ${limits.wallFactor} times as long`,
  };
}

/** How long a turn of a trial's event loop may take: longer with many nodes if its target is heavy. */
export function turnLimitOf(
  { nodes, heavy }: Pick<TrialSpec, 'nodes' | 'heavy'>,
  limits: TrialLimits,
): Pick<TrialLimits, 'turnCpuMs' | 'turnWallMs'> {
  const extraMs = heavy === true ? extraNodesOf(nodes) * limits.turnCpuMsPerNode : 0;
  return { turnCpuMs: limits.turnCpuMs + extraMs, turnWallMs: limits.turnWallMs + extraMs * limits.wallFactor };
}

/** The memory limits of a trial's process. */
export function memoryLimitOf(
  { nodes, memoryMiB }: Pick<TrialSpec, 'nodes' | 'memoryMiB'>,
  limits: TrialLimits,
): Pick<TrialLimits, 'rssMiB' | 'heapMiB'> {
  const extraMiB = extraNodesOf(nodes) * limits.mibPerNode;
  return { rssMiB: (memoryMiB ?? limits.rssMiB) + extraMiB, heapMiB: limits.heapMiB + extraMiB };
}

function extraNodesOf(nodes: number): number {
  return Math.max(0, nodes - DEFAULT_NODES);
}

/** How long after a child's exit its streams are still read. */
const CLOSE_GRACE_MS = 1_000;
/** How often the supervisor looks at its children's reports. */
const LOOK_PERIOD_MS = 100;
/** A trial that did not finish is blamed on the target if the target was running in more than this share of the looks. */
const TARGETS_SHARE = 0.9;
/** How much of a child's output is kept, for the message about its end. */
const MAX_OUTPUT_LENGTH = 2_000;

/** How one trial's process ended. */
export type TrialOutcome =
  /**
   * The history is complete, or was sealed by the supervisor. If its process reported them: what it took, and which blocks of its own
   * code the target ran.
   */
  | { readonly kind: 'recorded'; readonly cost?: TrialCost; readonly covered?: readonly number[] }
  /** Scenario or target could not be loaded: there is no history. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The run was interrupted or stopped before it began. */
  | { readonly kind: 'not-begun' };

/** Options for running trials in processes. */
export interface SupervisorOptions {
  readonly workers: number;
  readonly clock: Clock;
  readonly limits?: TrialLimits;
  /** Aborted on Ctrl-C: running trials are ended and their histories sealed. */
  readonly signal: AbortSignal;
  /** Asked before each trial; if false, no further trial begins, and running ones go on. By default always true. */
  readonly mayBegin?: () => boolean;
  /** Extra environment variables for children. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Changes a spec for the worker that runs it; workers count from 0. By default nothing changes. */
  readonly assign?: (spec: TrialSpec, worker: number) => TrialSpec;
  readonly onBegin?: (spec: TrialSpec) => void;
  readonly onPhase?: (spec: TrialSpec, begun: PhaseBegun) => void;
  readonly onEnd?: (spec: TrialSpec, outcome: TrialOutcome) => void;
  /** Runs all trials, one after the other, and stays open: for callers that start trials one by one. */
  readonly runner?: TrialRunner;
}

/** What runs alongside one trial. */
export interface DuringTrial {
  /** Aborted: the trial is ended and its history sealed. */
  readonly signal: AbortSignal;
  readonly onPhase?: (begun: PhaseBegun) => void;
}

/** Runs trials one after the other, in one process for as long as they leave it clean. */
export interface TrialRunner {
  run(spec: TrialSpec, during: DuringTrial): Promise<TrialOutcome>;
  /** Ends the process. */
  end(): Promise<void>;
}

/** Creates a runner that starts its process at the first trial. */
export function createTrialRunner(options: Pick<SupervisorOptions, 'clock' | 'limits' | 'environment'>): TrialRunner {
  let child: TrialProcess | undefined;
  let memory: ReturnType<typeof memoryLimitOf> | undefined;
  const { limits = DEFAULT_LIMITS } = options;
  const end = async (): Promise<void> => {
    await child?.end();
    child = undefined;
  };
  return {
    run: async (spec, during) => {
      // A process that grew for one target may be too large for the next one from the start.
      const needed = memoryLimitOf(spec, limits);
      if (!isDeepStrictEqual(needed, memory)) await end();
      memory = needed;
      child ??= new TrialProcess({ ...options, heapMiB: needed.heapMiB });
      const outcome = await child.run(spec, during);
      if (child.ended) child = undefined;
      return outcome;
    },
    end,
  };
}

/**
 * Runs trials in child processes, `workers` in parallel, and survives whatever a target does: spin, hang, exit, use up
 * memory. Resolves with one outcome per trial, in the order of the specs; no process is left except that of the caller's runner.
 */
export async function superviseTrials(specs: readonly TrialSpec[], options: SupervisorOptions): Promise<TrialOutcome[]> {
  const outcomes: TrialOutcome[] = specs.map(() => ({ kind: 'not-begun' }));
  let next = 0;
  const work = async (worker: number): Promise<void> => {
    const runner = options.runner ?? createTrialRunner(options);
    try {
      while (next < specs.length && !options.signal.aborted && options.mayBegin?.() !== false) {
        const index = next;
        next += 1;
        const spec = specs[index] as TrialSpec;
        options.onBegin?.(spec);
        const outcome = await runner.run(options.assign?.(spec, worker) ?? spec, {
          signal: options.signal,
          onPhase: (begun) => options.onPhase?.(spec, begun),
        });
        outcomes[index] = outcome;
        options.onEnd?.(spec, outcome);
      }
    } finally {
      if (runner !== options.runner) await runner.end();
    }
  };
  const workers = options.runner === undefined ? Math.max(1, Math.min(options.workers, specs.length)) : 1;
  await Promise.all(Array.from({ length: workers }, (_none, worker) => work(worker)));
  return outcomes;
}

/** A child leads its own process group. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** In a clone, `import 'scaleproof'` in a user's file means the sources; in an installed package it means dist. @returns flags of Node */
export function sourceConditions(): string[] {
  return extname(import.meta.url) === '.ts' ? ['--conditions=scaleproof-source'] : [];
}

/**
 * Lets a child find the modules that earlier ones have compiled. Each version of Node has its own folder there. It is not that of the command:
 * V8 refuses what was compiled with other flags, and the command has some (`avoidExitDeadlock`).
 */
function compileCache(): Record<string, string> {
  const ofVersion = getCompileCacheDir();
  return ofVersion === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(ofVersion), 'trials') };
}

/** A process that is ended by one of these has crashed in Node.js itself. Neither TypeScript nor WebAssembly can do that. */
const CRASHES: ReadonlySet<string | null> = new Set(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP', 'SIGABRT']);

type Verdict = Pick<EventOf<'supervisor'>, 'cause' | 'culprit' | 'message'>;

/** One child process and the trial that it runs. */
class TrialProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #limits: TrialLimits;
  readonly #exited: Promise<void>;
  readonly #heapMiB: number;
  #report: WatchReport = { turns: -1, owner: 'harness', busy: false, rssMiB: 0, mainCpuMs: 0, waitedMs: 0, cpuMs: 0 };
  /** How often each owner was found running. */
  readonly #looks = { harness: 0, target: 0 };
  /** How much the process grew while each owner was running. */
  readonly #grownMiB = { harness: 0, target: 0 };
  #output = '';
  ended = false;

  constructor({ clock, limits = DEFAULT_LIMITS, environment, heapMiB }: Parameters<typeof createTrialRunner>[0] & { heapMiB: number }) {
    this.#clock = clock;
    this.#limits = limits;
    this.#heapMiB = heapMiB;
    this.#child = fork(fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url)), [], {
      execArgv: [...sourceConditions(), `--max-old-space-size=${heapMiB}`, '--no-warnings'],
      env: { ...process.env, ...compileCache(), ...environment },
      // Its own group: Ctrl-C only reaches the supervisor, which ends its children in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    this.#exited = new Promise((resolve) => {
      const closed = new AbortController();
      const onEnd = (): void => {
        this.ended = true;
        closed.abort(new Error('the process has ended'));
        resolve();
      };
      // After its streams have been read, because the last report says who was running.
      this.#child.once('close', onEnd);
      // Programs that it started may hold its streams open forever.
      this.#child.once('exit', () => {
        // If the timer outlived the process, the command would wait for it.
        void clock.sleep(CLOSE_GRACE_MS, closed.signal).then(onEnd, onEnd);
      });
      // It could not be started, or exited before its first message: then `close` follows.
      this.#child.on('error', (error) => {
        this.#output += `\n${error.message}`;
        if (this.#child.pid === undefined) onEnd();
      });
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-MAX_OUTPUT_LENGTH);
      });
    }
    createInterface({ input: this.#child.stdio[REPORT_FD] as Readable }).on('line', (line) => {
      const report = JSON.parse(line) as WatchReport;
      if (report.busy) this.#looks[report.owner] += 1;
      // What the process used before its first trial counts for nobody.
      if (this.#report.busy) this.#grownMiB[report.owner] += Math.max(0, report.rssMiB - this.#report.rssMiB);
      this.#report = report;
    });
  }

  async run(spec: TrialSpec, { signal, onPhase }: DuringTrial): Promise<TrialOutcome> {
    const over = new AbortController();
    let onMessage: (message: ChildMessage) => void = () => undefined;
    const answer = new Promise<TrialAnswer>((resolve) => {
      onMessage = (message) => {
        if (message.kind === 'phase') onPhase?.(message);
        else resolve(message);
      };
    });
    this.#child.on('message', onMessage);
    this.#child.send(spec);
    try {
      const exit = this.#exited.then(() => this.#verdictOfExit());
      const first = await Promise.race([answer, exit, this.#watch(spec, { signal, over: over.signal })]);
      if ('kind' in first) {
        // Leftovers of an aborted trial must not affect the next one.
        if (first.kind === 'done' && !first.clean) await this.end();
        if (first.kind === 'refused') return first;
        const { cpuMs, peakMemoryMiB, covered } = first;
        return { kind: 'recorded', cost: { cpuMs, peakMemoryMiB }, covered };
      }
      await this.end();
      sealHistory(spec.historyPath, { type: 'supervisor', ...first });
      return { kind: 'recorded' };
    } finally {
      this.#child.off('message', onMessage);
      over.abort(new Error('the trial is over'));
    }
  }

  /** Ends the process, and everything that a target started in it. */
  async end(): Promise<void> {
    if (!this.ended && this.#child.pid !== undefined) killGroup(this.#child.pid);
    // A program that a target started in a group of its own may still hold the other ends.
    for (const stream of this.#child.stdio) stream?.destroy();
    await this.#exited;
  }

  /** Resolves when the trial must be ended from outside. */
  async #watch(spec: TrialSpec, { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal }): Promise<Verdict> {
    const { turnCpuMs, turnWallMs } = turnLimitOf(spec, this.#limits);
    const time = timeLimitOf(spec, this.#limits);
    const { rssMiB: memoryMiB } = memoryLimitOf(spec, this.#limits);
    const begin = { nowMs: this.#clock.monotonicMs(), waitedMs: this.#report.waitedMs, cpuMs: this.#report.cpuMs };
    const wall = { ofTrial: new WatchedTime(begin), ofTurn: new WatchedTime(begin) };
    let turn = { count: -2, mainCpuMs: 0 };
    for (;;) {
      await this.#clock.sleep(LOOK_PERIOD_MS, over);
      const { owner, rssMiB, busy, turns, mainCpuMs, waitedMs, cpuMs } = this.#report;
      for (const time of [wall.ofTrial, wall.ofTurn]) time.look({ nowMs: this.#clock.monotonicMs(), waitedMs });
      if (!busy || turns !== turn.count) {
        turn = { count: turns, mainCpuMs };
        wall.ofTurn.reset();
      }
      if (signal.aborted) return { cause: 'interrupted', culprit: 'harness', message: 'the run was interrupted' };
      if (rssMiB > memoryMiB) {
        const culprit = this.#grewMost();
        return {
          cause: 'out-of-memory',
          culprit,
          message: `${culprit} made the process grow to ${rssMiB} MiB, the limit is ${memoryMiB} MiB`,
        };
      }
      if (mainCpuMs - turn.mainCpuMs > turnCpuMs) {
        const message = `${owner} took ${turnCpuMs / 1_000} s of processor time without letting anything else run`;
        return { cause: 'hung', culprit: owner, message };
      }
      if (wall.ofTurn.ms > turnWallMs) {
        const message = `${owner} stood still for ${turnWallMs / 1_000} s of real time without letting anything else run`;
        return { cause: 'hung', culprit: owner, message };
      }
      if (time.cpuMs !== undefined && cpuMs - begin.cpuMs > time.cpuMs)
        return this.#tookTooLong(`${time.cpuMs / 1_000} s of processor time`, time);
      if (wall.ofTrial.ms > time.wallMs) return this.#tookTooLong(`${time.wallMs / 1_000} s of real time`, time);
    }
  }

  #tookTooLong(long: string, { why }: TimeLimit): Verdict {
    const culprit = this.#mostlyRan();
    return { cause: 'hung', culprit, message: `the trial was not over after ${long} (the limit: ${why}); ${culprit} used most of it` };
  }

  /** Who made the process grow: not necessarily who runs when the limit is reached. */
  #grewMost(): Verdict['culprit'] {
    return this.#grownMiB.target > this.#grownMiB.harness ? 'target' : 'harness';
  }

  /** A long trial is the target's fault only if the target took the time. */
  #mostlyRan(): Verdict['culprit'] {
    const { target, harness } = this.#looks;
    return target > TARGETS_SHARE * (target + harness) ? 'target' : 'harness';
  }

  #verdictOfExit(): Verdict {
    const { owner } = this.#report;
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `with code ${String(exitCode)}` : `by ${signalCode}`;
    if (/heap out of memory/i.test(this.#output)) {
      const culprit = this.#grewMost();
      const message = `${culprit} exceeded the heap limit of the trial's process: ${this.#heapMiB} MiB`;
      return { cause: 'out-of-memory', culprit, message };
    }
    const lastLines = this.#output.trim().split('\n').slice(-5).join(' | ');
    const lastWords = lastLines === '' ? '' : `; its last output: ${lastLines}`;
    // Its watcher may not have reported yet who was running.
    if (CRASHES.has(signalCode))
      return { cause: 'exited', culprit: 'harness', message: `the trial's process ended ${how}, a crash of Node.js itself${lastWords}` };
    return { cause: 'exited', culprit: owner, message: `the trial's process ended ${how} while ${owner} was running${lastWords}` };
  }
}
