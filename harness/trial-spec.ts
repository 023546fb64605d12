import type { EventOf } from '../history/events.ts';
import type { CrashSpec } from './crash-points.ts';
import type { ModuleRef, TargetRef } from './load.ts';
import { processorTime } from '../runtime/processor-time.ts';
import type { ProcessorTime } from '../runtime/processor-time.ts';
import type { WorldRef } from './world-for.ts';

/** Number of nodes for scenarios of variable size if the user gives none. */
export const DEFAULT_NODES = 10;

/** Everything that a child needs to run one trial: plain data, sent to it as a message. */
export interface TrialSpec {
  readonly scenario: ModuleRef;
  readonly suite: string;
  readonly scenarioDigest: string;
  readonly target: TargetRef;
  /** By default the embedded one. */
  readonly world?: WorldRef;
  readonly seed: number;
  /** Number of nodes that scenarios of variable size should reach. */
  readonly nodes: number;
  /** Where the target is killed or upgraded; absent if it is nowhere. */
  readonly crash?: CrashSpec;
  /** A target that is an upgrade is not upgraded: its side effects are counted. */
  readonly withoutUpgrade?: true;
  /** Longest that it may take in real time, if that follows from its bounds; otherwise the supervisor's limit applies. */
  readonly wallMs?: number;
  /** Most resident memory of its process, if the target needs a different limit than the supervisor's. */
  readonly memoryMiB?: number;
  /** Its target is heavy, and so may take more processor time. */
  readonly heavy?: true;
  /** Its scenario is long or large, and so may take more processor time, and record more. */
  readonly long?: true;
  /** Path of the history to write. */
  readonly historyPath: string;
}

/** Resources that a trial used. */
export interface TrialCost {
  /** Processor time of the process for the trial, user and system, in milliseconds. */
  readonly cpuMs: number;
  /** Peak resident memory of the process since it started, in MiB. */
  readonly peakMemoryMiB: number;
}

/** Most blocks of a target's code that a trial reports: ten times as many as Karpenter has. */
export const MOST_COVERED = 200_000;

/** A child's message when a trial's history is complete. */
export interface TrialDone extends TrialCost {
  readonly kind: 'done';
  /** The blocks of its own code that the target has run, at most `MOST_COVERED`; none for targets that don't count them. */
  readonly covered: readonly number[];
  /** The trial went through all its phases, and nothing of it is still running in the process. */
  readonly clean: boolean;
}

/** A scenario or target could not be loaded. */
export interface TrialRefused {
  readonly kind: 'refused';
  readonly message: string;
}

/** A child's final message about a trial. */
export type TrialAnswer = TrialDone | TrialRefused;

/** A trial has reached this phase: the event as recorded in the history. */
export interface PhaseBegun extends Pick<EventOf<'phase'>, 'phase' | 't'> {
  readonly kind: 'phase';
}

export type ChildMessage = TrialAnswer | PhaseBegun;

/** Where the child's main thread notes what it is doing, for its watcher: indexes into a shared Int32Array. */
export const NOTE = {
  /** Counts hand-overs of control: stays the same while one owner spins. */
  turns: 0,
  /** Who got control last. */
  owner: 1,
  /** 1 while a trial runs. */
  busy: 2,
} as const;

/** Values of `NOTE.owner`. */
export const OWNERS = ['harness', 'target'] as const;

/** One line of the watcher's report. */
export interface WatchReport extends ProcessorTime {
  readonly turns: number;
  readonly owner: (typeof OWNERS)[number];
  readonly busy: boolean;
  readonly rssMiB: number;
}

/** File descriptor on which a child's watcher reports, one JSON object per line. */
export const REPORT_FD = 4;

/** The current notes as a report. */
export function readNotes(notes: Int32Array): WatchReport {
  return {
    turns: Atomics.load(notes, NOTE.turns),
    owner: OWNERS[Atomics.load(notes, NOTE.owner)] ?? 'harness',
    busy: Atomics.load(notes, NOTE.busy) === 1,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    ...processorTime(),
  };
}
