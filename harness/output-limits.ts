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

const SMALL: OutputLimits = { requests: MAX_REQUESTS, events: MAX_EVENTS, logLines: 50_000 };
/** The reference sends about 35 requests, and a history has about 160 events, until a node has come and gone. */
const PER_NODE: OutputLimits = { requests: 200, events: 1_000, logLines: 100 };

/** A history is read as one text, which holds 2^29 characters; an event has 200 to 250. */
const MOST_EVENTS = 1_800_000;

/** More for larger clusters. */
export function outputLimitsOf(nodes: number): OutputLimits {
  return {
    requests: SMALL.requests + nodes * PER_NODE.requests,
    events: Math.min(SMALL.events + nodes * PER_NODE.events, MOST_EVENTS),
    logLines: SMALL.logLines + nodes * PER_NODE.logLines,
  };
}
