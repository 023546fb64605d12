import type { EventOf } from '../history/events.ts';
import type { CrashSpec } from './crash-points.ts';
import type { ModuleRef, TargetRef } from './load.ts';
import { processorTime } from './processor-time.ts';
import type { ProcessorTime } from './processor-time.ts';
import type { WorldRef } from './world-for.ts';

/** Nodes that scenarios of a free size reach if the user names no number. */
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
  /** Nodes that scenarios of a free size shall reach. */
  readonly nodes: number;
  /** Where the target is killed; absent for a trial as the scenario has it. */
  readonly crash?: CrashSpec;
  /** Longest that it may take in real time, where that follows from its bounds; otherwise the supervisor's limit holds. */
  readonly wallMs?: number;
  /** Most resident memory that its process may take, where the target needs another limit than the supervisor's. */
  readonly memoryMiB?: number;
  /** Path of the history to write. */
  readonly historyPath: string;
}

/** What a trial took of the machine. */
export interface TrialCost {
  /** Processor time that the process took for it, user and system, in milliseconds. */
  readonly cpuMs: number;
  /** Most resident memory that the process has had since it began, in MiB. */
  readonly peakMemoryMiB: number;
}

/** What a child says when a trial's history is complete. */
export interface TrialDone extends TrialCost {
  readonly kind: 'done';
  /** The trial went through all its phases, and nothing of it runs on in the process. */
  readonly clean: boolean;
}

/** A scenario or target could not be loaded. */
export interface TrialRefused {
  readonly kind: 'refused';
  readonly message: string;
}

/** How a child's message about a trial ends it. */
export type TrialAnswer = TrialDone | TrialRefused;

/** A trial has come to this phase: its event as it stands in the history. */
export interface PhaseBegun extends Pick<EventOf<'phase'>, 'phase' | 't'> {
  readonly kind: 'phase';
}

export type ChildMessage = TrialAnswer | PhaseBegun;

/** Where the child's main thread notes what it does, for its watcher: indexes into a shared Int32Array. */
export const NOTE = {
  /** Counts hand-overs: stands still while somebody spins. */
  turns: 0,
  /** Who was handed control last. */
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

/** File descriptor on which a child's watcher reports, one JSON object a line. */
export const REPORT_FD = 4;

/** What the notes say now. */
export function readNotes(notes: Int32Array): WatchReport {
  return {
    turns: Atomics.load(notes, NOTE.turns),
    owner: OWNERS[Atomics.load(notes, NOTE.owner)] ?? 'harness',
    busy: Atomics.load(notes, NOTE.busy) === 1,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    ...processorTime(),
  };
}
