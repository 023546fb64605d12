import type { Capability } from '../history/capabilities.ts';
import type { HistoryEvent } from '../history/events.ts';
import { ofType } from '../history/lives.ts';
import { CRASH_MOMENTS } from '../history/verdict.ts';
import type { CrashPoint } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';

/**
 * Crash points: a trial is run once to count the target's side effects, and then once for each of them and each side of
 * it, with the target killed there. Up to the crash the second trial is the first, byte for byte: so the request that has
 * the k-th effect is known before it is sent.
 */

/** Most side effects of one trial that crash points are made of. */
export const MAX_SIDE_EFFECTS = 2_000;

/** Where side effects are counted in one trial and met in another, both have to be the same up to there. */
const NEEDED: readonly Capability[] = ['time.virtual', 'target.kill'];

/** Why there can be no crash points where a world, with its target, can do no more than this; undefined when there can. */
export function whyNoCrashPoints(capabilities: readonly string[]): string | undefined {
  const missing = NEEDED.filter((capability) => !capabilities.includes(capability));
  return missing.length === 0 ? undefined : `they need ${missing.join(' and ')}, which the world does not have with this target`;
}

/** A crash point as a replay line names it: what its request asks for shows in the trial. */
export type CrashName = Pick<CrashPoint, 'moment' | 'nth'>;

/** A request of the target whose effect was applied. */
export interface SideEffect {
  readonly span: number;
  readonly operation: string;
  readonly object?: string;
}

/** A crash point with what the trial without a crash told of it: all that a trial needs to kill the target there. */
export interface CrashSpec extends CrashPoint {
  /** The requests of the side effects up to this one, which is the last of them. */
  readonly spans: readonly number[];
}

/** The target's side effects in the order in which they took effect, over both wires and all incarnations. */
export function sideEffectsOf(events: readonly HistoryEvent[]): SideEffect[] {
  const sent = new Map(ofType(events, 'request.start').map((start) => [start.span, start]));
  return ofType(events, 'request.effect').flatMap(({ span, effect }) => {
    const start = sent.get(span);
    if (start?.principal !== 'target' || effect.kind !== 'applied') return [];
    const { operation, object } = start;
    return { span, operation, ...defined({ object }) };
  });
}

/** Both sides of every side effect, in order. */
export function crashPointsOf(effects: readonly SideEffect[]): CrashName[] {
  return effects.flatMap((_effect, index) => CRASH_MOMENTS.map((moment) => ({ moment, nth: index + 1 })));
}

/** What a trial is told of a crash point. @throws RangeError when there is no such side effect */
export function specifyCrash({ moment, nth }: CrashName, effects: readonly SideEffect[]): CrashSpec {
  const effect = effects[nth - 1];
  if (effect === undefined) throw new RangeError(`the trial has ${effects.length} side effects, not ${nth}`);
  const { span: _span, ...what } = effect;
  return { moment, nth, ...what, spans: effects.slice(0, nth).map(({ span }) => span) };
}

/** `after:17` */
export function formatCrashPoint({ moment, nth }: CrashName): string {
  return `${moment}:${nth}`;
}

/** The opposite of `formatCrashPoint`. */
export function parseCrashPoint(text: string): CrashName {
  const [moment, nth] = text.split(':');
  return { moment: moment === 'before' ? 'before' : 'after', nth: Number(nth) };
}
