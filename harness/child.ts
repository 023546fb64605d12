import { closeSync, openSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Recorder } from '../history/events.ts';
import { writeUsage } from '../history/usage.ts';
import { createRecorder } from '../history/writer.ts';
import { defined } from '../model/defined.ts';
import type { Timeline } from '../runtime/clock.ts';
import { startTrial } from './engine.ts';
import type { RunningTrial } from './engine.ts';
import { LoadError } from './load-error.ts';
import { loadScenario, loadTarget } from './load.ts';
import { outputLimitsOf } from './output-limits.ts';
import { describe } from './target-life.ts';
import { MOST_COVERED, NOTE, REPORT_FD, readNotes } from './trial-spec.ts';
import type { ChildMessage, TrialAnswer, TrialSpec } from './trial-spec.ts';
import { worldFor } from './world-for.ts';

/**
 * The process that runs trials, one after the other, each in its own world. Only loaded modules survive between them.
 * A watcher thread reports what the main thread is doing, even when its event loop is blocked.
 */

/** In real time nothing may happen for long: the process shows at this interval that its event loop still turns. */
const PULSE_MS = 1_000;

/** Owners of code that users may have written, besides the target. */
const USERS: ReadonlySet<string> = new Set(['scenario', 'operator']);
/** Virtual time after which a history is flushed, whoever runs next. */
const FLUSH_AFTER_MS = 10_000;

const notes = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(NOTE).length));
new Worker(new URL(`./watcher${extname(import.meta.url)}`, import.meta.url), { workerData: { notes, parentPid: process.ppid } }).unref();

let owner = 'harness';
let running: RunningTrial | undefined;

function onUncaught(error: unknown): void {
  if (running === undefined) throw error;
  running.onUncaught(owner, error);
}

async function runTrial(spec: TrialSpec): Promise<TrialAnswer> {
  const scenario = await loadScenario(spec.scenario);
  const target = await loadTarget(spec.target);
  const before = process.cpuUsage();
  const file = openSync(spec.historyPath, 'wx');
  const over = new AbortController();
  try {
    const world = await worldFor(target, spec.world).prepare(scenario.pools);
    const timeline = world.createTimeline(spec.seed, {
      onHandover: (next) => {
        // What an external program does does not happen in this process.
        owner = timeline.virtual ? next : 'harness';
        const isTarget = owner.startsWith('target');
        // Code that is not ours may never return control, or may get the process killed: what has happened must be on disk.
        if (isTarget || USERS.has(owner) || !timeline.virtual || timeline.nowMs() >= flushedMs + FLUSH_AFTER_MS) {
          recorder.flush();
          flushedMs = timeline.nowMs();
        }
        Atomics.store(notes, NOTE.owner, isTarget ? 1 : 0);
        Atomics.add(notes, NOTE.turns, 1);
      },
    });
    const startMs = timeline.nowMs();
    let flushedMs = startMs;
    const recorder = createRecorder({
      nowMs: () => timeline.nowMs(),
      startMs,
      maxEvents: outputLimitsOf(spec.nodes, scenario.profile).events,
      write: (text) => {
        // Timers of an aborted trial still fire in real time.
        if (!over.signal.aborted) writeSync(file, text);
      },
    });
    const keepUsage = (): void => {
      const usage = running?.usage();
      if (usage !== undefined) writeUsage(spec.historyPath, usage);
    };
    running = startTrial({
      scenario,
      suite: spec.suite,
      scenarioDigest: spec.scenarioDigest,
      target,
      seed: spec.seed,
      nodes: spec.nodes,
      ...defined({ crash: spec.crash, withoutUpgrade: spec.withoutUpgrade }),
      timeline,
      recorder: reportingPhases(recorder, () => timeline.nowMs() - startMs),
      createWorld: world.createWorld,
      // This process may be killed for the memory that it uses.
      onUsage: keepUsage,
    });
    if (!timeline.virtual) void pulse(timeline, over.signal);
    const clean = await running.done;
    recorder.flush();
    keepUsage();
    const { user, system } = process.cpuUsage(before);
    const peakMemoryMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
    const covered = running.covered().slice(0, MOST_COVERED);
    return { kind: 'done', clean, covered, cpuMs: (user + system) / 1_000, peakMemoryMiB };
  } finally {
    running = undefined;
    over.abort(new Error('the trial is over'));
    closeSync(file);
  }
}

/** The same recorder, which also reports each phase to the parent. @param nowMs since the start of the trial */
function reportingPhases(recorder: Recorder, nowMs: () => number): Recorder {
  return {
    record: (event) => {
      if (event.type === 'phase') send({ kind: 'phase', phase: event.phase, t: nowMs() });
      return recorder.record(event);
    },
  };
}

/** Lets a timer fire at intervals, which the supervisor sees. */
async function pulse(timeline: Timeline, over: AbortSignal): Promise<void> {
  const clock = timeline.scope('pulse');
  while (!over.aborted) await clock.sleep(PULSE_MS, over).catch(() => undefined);
}

/** If the supervisor is gone, this process ends at once: without the callback the error would count as the target's. */
function send(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) process.kill(process.pid, 'SIGKILL');
  });
}

/** The watcher only looks at intervals. */
function reportNow(): void {
  writeSync(REPORT_FD, `${JSON.stringify(readNotes(notes))}\n`);
}

// Who ended the process.
process.on('exit', reportNow);
process.on('uncaughtException', onUncaught);
process.on('unhandledRejection', onUncaught);
process.on('message', (spec: TrialSpec) => {
  Atomics.store(notes, NOTE.busy, 1);
  // If the trial stops this process, the watcher stops too: without this report it would seem idle forever.
  reportNow();
  runTrial(spec)
    .catch((error: unknown): TrialAnswer => ({
      kind: 'refused',
      message: error instanceof LoadError ? error.message : describe(error),
    }))
    .then((message) => {
      Atomics.store(notes, NOTE.busy, 0);
      owner = 'harness';
      send(message);
    }, onUncaught);
});
// This is for this process, not for programs that a target starts.
delete process.env['NODE_COMPILE_CACHE'];
// This process is killed in the end, and would not leave what it has compiled. Later, with all that a target loads, the writing takes
// longer than it saves.
flushCompileCache();
