import type { EventOf, Recorder } from '../history/events.ts';
import type { Usage } from '../history/usage.ts';
import type { ClockScope } from '../runtime/clock.ts';
import { CutShortError } from '../model/cut-short.ts';
import { defined } from '../model/defined.ts';
import type { Log } from '../runtime/log.ts';
import type { Random } from '../runtime/random.ts';
import { ProgramError } from '../targets/target.ts';
import type { SocketOptions, Target, TargetProcess, TargetSite } from '../targets/target.ts';
import type { Wires, World } from '../world/world.ts';
import { SiteSockets } from './site-sockets.ts';

/** A target that exits by itself is restarted as a kubelet would: after 10 s, doubling up to 5 min. */
const RESTART_BASE_MS = 10_000;
const RESTART_MAX_MS = 300_000;
/** After running for this long, a target's restart delays start from the beginning again, like a kubelet's. */
const RESTART_RESET_MS = 600_000;
/** A target that is told to stop gets as long as a pod. */
const STOP_GRACE_MS = 30_000;
/** Time between two looks at a target's memory: four in each hour of a load that repeats itself every hour. */
const MEMORY_PERIOD_MS = 900_000;

interface Incarnation {
  readonly number: number;
  readonly scope: ClockScope;
  readonly wires: Wires;
  readonly stopping: AbortController;
  readonly startedAtMs: number;
  /** Absent until it is started. */
  process?: TargetProcess;
  /** Settles when its process does. */
  done: Promise<void>;
  /** Absent until it is started. */
  sockets?: SiteSockets;
  droppedCalls: number;
  logLines: number;
  over: boolean;
  /** Called when it is over, if somebody waits for that. */
  onOver?: () => void;
}

interface Upgrade {
  readonly to: Target;
  readonly onTold: () => void;
  /** The next incarnation starts first, and the old one is told to stop when it waits for the lease. */
  readonly handsOver: boolean;
}

/** What a target's life needs. */
export interface TargetLifeSite {
  readonly target: Target;
  readonly world: World;
  readonly random: Random;
  readonly recorder: Recorder;
  /** The harness's own clock: it goes on when the target dies. */
  readonly clock: ClockScope;
  /** Called when the target logs more than any autoscaler would. */
  readonly onFlood: (message: string) => void;
  /** A target that logs more in one incarnation floods its log. */
  readonly maxLogLines: number;
  /** Called when the target is not running, so that there is nothing to test. */
  readonly onCutShort: (error: CutShortError) => void;
  /** Called after each look at the target's memory. */
  readonly onSample: () => void;
}

/** Starts, kills, restarts and stops the target, and records its life. */
export class TargetLife {
  #target: Target;
  readonly #world: World;
  readonly #random: Random;
  readonly #recorder: Recorder;
  readonly #clock: ClockScope;
  readonly #onFlood: (message: string) => void;
  readonly #maxLogLines: number;
  readonly #onCutShort: (error: CutShortError) => void;
  readonly #onSample: () => void;
  readonly #incarnations: Incarnation[] = [];
  /** What dead incarnations still have on the machine, such as processes and sockets. */
  readonly #remains: Promise<unknown>[] = [];
  /** The name of the target that has replaced the first one. */
  #replacing: string | undefined;
  /** Settles when the last roll-out is over. */
  #rollOuts: Promise<void> = Promise.resolve();
  #exitsInARow = 0;
  #stopped = false;
  readonly #startMs: number;
  readonly #samples: Usage['samples'] = [];
  #watchesMemory = false;

  constructor(site: TargetLifeSite) {
    this.#target = site.target;
    this.#world = site.world;
    this.#random = site.random;
    this.#recorder = site.recorder;
    this.#clock = site.clock;
    this.#startMs = site.clock.nowMs();
    this.#onFlood = site.onFlood;
    this.#maxLogLines = site.maxLogLines;
    this.#onCutShort = site.onCutShort;
    this.#onSample = site.onSample;
  }

  /** Starts an incarnation. Resolves when it is ready or over, or the limit has passed. */
  async start(readyLimitMs: number): Promise<void> {
    await this.#within(readyLimitMs, this.#begin());
  }

  /** Stops the target as a roll-out would, and starts the next incarnation. Resolves when that is ready, or the limit has passed. */
  restart(readyLimitMs: number): Promise<void> {
    return this.#rollOut(readyLimitMs);
  }

  /**
   * Replaces the target by another: like `restart`, but the next incarnation is of that one.
   * @param onTold called once the current one has been told to stop, or is over
   */
  upgrade(to: Target, readyLimitMs: number, { onTold, handsOver }: Pick<Upgrade, 'onTold' | 'handsOver'>): Promise<void> {
    // A roll-out under way has told it: its turn must not wait for whoever waits for this one.
    if (this.#incarnations.at(-1)?.stopping.signal.aborted === true) onTold();
    return this.#rollOut(readyLimitMs, { to, onTold, handsOver });
  }

  /** Roll-outs follow each other: each starts one incarnation for the one that it stops. */
  #rollOut(readyLimitMs: number, upgrade?: Upgrade): Promise<void> {
    const turn = this.#rollOuts.then(async () => {
      if (this.#stopped) return;
      const old = this.#incarnations.at(-1);
      const replace = (): void => {
        if (upgrade === undefined) return;
        this.#target = upgrade.to;
        this.#replacing = upgrade.to.name;
      };
      if (upgrade?.handsOver === true) {
        replace();
        const ready = this.#begin();
        await this.#within(readyLimitMs, this.#standby(ready));
        if (this.#stopped) return;
        await this.#tellToStop(old, upgrade);
        await this.#within(readyLimitMs, ready);
        return;
      }
      await this.#tellToStop(old, upgrade);
      if (this.#stopped) return;
      replace();
      await this.start(readyLimitMs);
    });
    this.#rollOuts = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when the latest incarnation waits for its lease, is ready, or is over. @param ready when it is ready or over */
  #standby(ready: Promise<void>): Promise<void> {
    const latest = this.#incarnations.at(-1);
    if (latest === undefined) return ready;
    const over = new Promise<void>((resolve) => (latest.onOver = resolve));
    return Promise.race([ready, over, ...(latest.process?.standby === undefined ? [] : [latest.process.standby])]);
  }

  /** Resolves when it is over. */
  #tellToStop(incarnation: Incarnation | undefined, upgrade: Upgrade | undefined): Promise<void> {
    const isOver = this.#stop(incarnation);
    upgrade?.onTold();
    return isOver;
  }

  /** @returns whether it was done in time */
  async #within(limitMs: number, done: Promise<void>): Promise<boolean> {
    const timer = new AbortController();
    const late = this.#clock.sleep(limitMs, timer.signal).then(
      () => false,
      () => true,
    );
    const isInTime = await Promise.race([done.then(() => true), late]);
    timer.abort();
    return isInTime;
  }

  /**
   * Kills the incarnation as SIGKILL would and starts the next one at once, unless that runs already. Does nothing if it is already
   * dead.
   */
  kill(incarnation: number, reason: string): void {
    const killed = this.#incarnations.find(({ number }) => number === incarnation);
    if (killed === undefined || killed.over) return;
    this.#end(killed, { provoked: true, reason: `killed ${reason}` });
    // Whoever has told it to stop starts the next one.
    if (!this.#stopped && !killed.stopping.signal.aborted && this.#isLatest(killed)) void this.#begin();
  }

  #isLatest(incarnation: Incarnation): boolean {
    return this.#incarnations.at(-1) === incarnation;
  }

  /** The incarnation that owns the clock of this name exited by itself. */
  exitOf(owner: string, reason: string): void {
    const exited = this.#incarnations.find(({ scope }) => scope.owner === owner);
    if (exited !== undefined) this.#exit(exited, reason);
  }

  /** It exited by itself: that is a finding, and it is restarted as a kubelet would. Errors of a dead one are ignored. */
  #exit(exited: Incarnation, reason: string): void {
    if (exited.over) return;
    this.#end(exited, { provoked: false, reason });
    if (this.#stopped || !this.#isLatest(exited)) return;
    if (this.#clock.nowMs() - exited.startedAtMs >= RESTART_RESET_MS) this.#exitsInARow = 0;
    const delayMs = Math.min(RESTART_MAX_MS, RESTART_BASE_MS * 2 ** this.#exitsInARow);
    this.#exitsInARow += 1;
    void this.#clock.sleep(delayMs).then(() => {
      // It may have been restarted meanwhile.
      if (!this.#stopped && this.#isLatest(exited)) void this.#begin();
    });
  }

  /** Tells it to stop, and kills it after its grace period. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#incarnations.map((incarnation) => this.#stop(incarnation)));
    await Promise.all(this.#remains);
    for (const { number, droppedCalls } of this.#incarnations) {
      if (droppedCalls > 0) this.#recorder.record({ type: 'target.dropped', incarnation: number, calls: droppedCalls });
    }
  }

  /** The blocks of its own code that the target has run in all of its incarnations, in order. */
  covered(): readonly number[] {
    const blocks = this.#incarnations.flatMap(({ process }) => [...(process?.covered?.() ?? [])]);
    return [...new Set(blocks)].sort((a, b) => a - b);
  }

  /** What all incarnations have used, and the largest memory of one; undefined if it can't be told from the rest of the trial. */
  usage(): Usage | undefined {
    const used = this.#incarnations.flatMap(({ process }) => process?.usage?.() ?? []);
    const [first] = used;
    if (first === undefined) return undefined;
    return {
      cpuMs: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      memory: first.memory,
      peakMiB: Math.max(...used.map(({ peakMiB }) => peakMiB)),
      samples: this.#samples,
    };
  }

  /**
   * Looks at evenly spaced times how much the current incarnation holds in memory, until the target is stopped.
   * @returns whether it says so
   */
  watchMemory(): boolean {
    if (this.#incarnations.at(-1)?.process?.heapMiB === undefined) return false;
    if (!this.#watchesMemory) void this.#watchMemory();
    this.#watchesMemory = true;
    return true;
  }

  async #watchMemory(): Promise<void> {
    while (!this.#stopped) {
      const current = this.#incarnations.at(-1);
      const t = this.#clock.nowMs() - this.#startMs;
      current?.scope.handover();
      // An incarnation that is over never answers.
      void current?.process?.heapMiB?.().then((heapMiB) => {
        if (heapMiB === undefined) return;
        this.#samples.push({ t, incarnation: current.number, heapMiB });
        this.#onSample();
      });
      this.#clock.handover();
      await this.#clock.sleep(MEMORY_PERIOD_MS);
    }
  }

  async #stop(current: Incarnation | undefined): Promise<void> {
    if (current === undefined || current.over) return;
    this.#recorder.record({ type: 'target.stop', incarnation: current.number });
    current.scope.handover();
    current.stopping.abort(new Error('the target is told to stop'));
    this.#clock.handover();
    const over = new Promise<void>((resolve) => (current.onOver = resolve));
    if (await this.#within(STOP_GRACE_MS, Promise.race([current.done, over]))) this.#terminate(current);
    else this.#end(current, { provoked: false, overdue: true, reason: `killed ${STOP_GRACE_MS / 1_000} s after it was told to stop` });
  }

  /** Silences the target at once: the trial broke off. Resolves when nothing is left of it on the machine. */
  async killAll(): Promise<void> {
    this.#stopped = true;
    for (const incarnation of this.#incarnations) this.#terminate(incarnation);
    await Promise.all(this.#remains);
  }

  #begin(): Promise<void> {
    const number = this.#incarnations.length + 1;
    const scope = this.#world.timeline.scope(`target#${number}`);
    const current: Incarnation = {
      number,
      scope,
      wires: this.#world.open('target', number, scope),
      stopping: new AbortController(),
      startedAtMs: this.#clock.nowMs(),
      done: Promise.resolve(),
      droppedCalls: 0,
      logLines: 0,
      over: false,
    };
    this.#incarnations.push(current);
    this.#recorder.record({ type: 'target.start', incarnation: number, ...defined({ target: this.#replacing }) });
    return new Promise((resolve) => {
      const onOver = (reason: string): void => {
        if (!current.over && !current.stopping.signal.aborted) this.#exit(current, reason);
        resolve();
      };
      let process: TargetProcess;
      scope.handover();
      try {
        process = this.#target.start(this.#site(current));
        current.process = process;
      } catch (error) {
        onOver(`threw at start: ${describe(error)}`);
        return;
      } finally {
        this.#clock.handover();
      }
      process.ready.then(
        () => {
          if (!current.over) this.#recorder.record({ type: 'target.ready', incarnation: number });
          resolve();
        },
        (error: unknown) => {
          if (error instanceof CutShortError) this.#onCutShort(error);
          else onOver(`failed before it was ready: ${describe(error)}`);
        },
      );
      current.done = process.done.then(
        () => onOver('exited without being told to stop'),
        (error: unknown) => onOver(`failed: ${describe(error)}`),
      );
    });
  }

  #site(current: Incarnation): TargetSite {
    const log: Log = (level, message, fields) => {
      if (current.over) {
        current.droppedCalls += 1;
        return;
      }
      current.logLines += 1;
      if (current.logLines > this.#maxLogLines) {
        this.#onFlood(`more than ${this.#maxLogLines} log lines in one incarnation`);
        return;
      }
      const line = fields === undefined ? message : `${message} ${JSON.stringify(fields)}`;
      if (level === 'panic') {
        this.#recorder.record({ type: 'target.panic', incarnation: current.number, recovered: true, message: line });
      } else {
        this.#recorder.record({ type: 'said', by: 'log', level, reason: 'log', message: line, principal: 'target' });
      }
    };
    const { cluster, timeline, capabilities } = this.#world;
    const hasWires = capabilities.includes('wire.kube');
    const kube = this.#countDropped(current, current.wires.kube);
    const aws = this.#countDropped(current, current.wires.aws);
    const sockets = new SiteSockets({ kube, aws, cluster, user: 'target', log: this.#onSocketError });
    current.sockets = sockets;
    return {
      runtime: {
        clock: current.scope,
        random: this.#random.fork(`incarnation ${current.number}`),
        log,
        signal: current.stopping.signal,
      },
      kube,
      aws,
      cluster,
      ...(timeline.virtual || !hasWires ? {} : { openSockets: (path: string, how?: SocketOptions) => sockets.open(path, how) }),
    };
  }

  readonly #onSocketError: Log = (_level, message) => {
    this.#recorder.record({ type: 'harness.error', message: `a socket of the target: ${message}` });
  };

  /** Counts the requests that a dead incarnation still sends. */
  #countDropped(current: Incarnation, wire: Wires['kube']): Wires['kube'] {
    return (request) => {
      if (current.over) current.droppedCalls += 1;
      return wire(request);
    };
  }

  #end(current: Incarnation, how: Pick<EventOf<'target.exit'>, 'provoked' | 'reason' | 'overdue'>): void {
    this.#terminate(current);
    this.#recorder.record({ type: 'target.exit', incarnation: current.number, ...how });
  }

  #terminate(current: Incarnation): void {
    current.over = true;
    current.onOver?.();
    current.scope.kill();
    current.wires.close();
    const killed = current.process?.kill?.();
    if (killed !== undefined) this.#remains.push(killed);
    if (current.sockets !== undefined) this.#remains.push(current.sockets.close());
  }
}

/** An error in one line. */
export function describe(error: unknown): string {
  if (error instanceof ProgramError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return `${error.name}: ${error.message}${place === undefined ? '' : ` (${place.trim()})`}`;
}
