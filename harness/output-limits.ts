import type { Profile } from '../history/events.ts';
import { MAX_EVENTS } from '../history/writer.ts';
import { MAX_REQUESTS } from '../wire/chain.ts';

/** What a trial may produce. */
export interface OutputLimits {
  /** Requests of the target, over its wires and incarnations. */
  readonly requests: number;
  /** Events of the history. */
  readonly events: number;
  /** Log lines of one incarnation of the target. */
  readonly logLines: number;
}

/**
 * As its chart runs it, Cluster Autoscaler logs a line for each pod and each group that the pod does not fit, every ten seconds: 16
 * lines a second while a dozen pods wait beside 72 groups, and some trials last hours. Half of a history is enough for four hours.
 */
const SMALL: OutputLimits = { requests: MAX_REQUESTS, events: MAX_EVENTS, logLines: MAX_EVENTS / 2 };
/** The reference sends about 35 requests, and a history has about 160 events, until a node has come and gone. */
const PER_NODE: OutputLimits = { requests: 200, events: 1_000, logLines: 100 };

/** A day of virtual time, instead of a few hours at most. */
const LONG_FACTOR = 10;

/** More for larger clusters, and for scenarios of the profile endurance. */
export function outputLimitsOf(nodes: number, profile: Profile): OutputLimits {
  const factor = profile === 'endurance' ? LONG_FACTOR : 1;
  return {
    requests: factor * (SMALL.requests + nodes * PER_NODE.requests),
    events: factor * (SMALL.events + nodes * PER_NODE.events),
    logLines: factor * (SMALL.logLines + nodes * PER_NODE.logLines),
  };
}
