import type { Capability } from '../history/capabilities.ts';
import type { HistoryEvent } from '../history/events.ts';
import { ofType } from '../history/lives.ts';
import { CRASH_MOMENTS } from '../history/verdict.ts';
import type { CrashPoint } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';

/**
 * Crash points: a trial is run once to count the target's side effects, and then twice for each of them, with the target
 * killed just before or just after it. Up to the crash the second trial equals the first, byte for byte: so the request
 * that has the k-th effect is known before it is sent. A target that is an upgrade is not killed but upgraded there: its trial is
 * first run without the upgrade, and then once for each side effect.
 */

/** Most side effects of one trial that get crash points. */
export const MAX_SIDE_EFFECTS = 2_000;

/** Needed so that both trials are the same up to the crash. */
const NEEDED: readonly Capability[] = ['time.virtual', 'target.kill'];

/** Why crash points are impossible with these capabilities of world and target; undefined if they are possible. */
export function whyNoCrashPoints(capabilities: readonly string[]): string | undefined {
  const missing = NEEDED.filter((capability) => !capabilities.includes(capability));
  return missing.length === 0 ? undefined : `they need ${missing.join(' and ')}, which the world does not have with this target`;
}

/** A crash point as in a replay line; the operation is found again in the trial. */
export type CrashName = Pick<CrashPoint, 'moment' | 'nth'>;

/** A request of the target whose effect was applied. */
export interface SideEffect {
  readonly span: number;
  readonly operation: string;
  readonly object?: string;
}

/** A crash point with what the trial without a crash recorded: all that a trial needs to kill the target there. */
export interface CrashSpec extends CrashPoint {
  /** The requests with the side effects up to and including this one. */
  readonly spans: readonly number[];
}

/** Renewals of a lease, every two seconds, are no side effects: they say nothing but who leads. */
export function isOfLease(operation: string): boolean {
  return operation.endsWith(' leases');
}

/** The target's side effects in the order in which they took effect, over both wires and all incarnations. */
export function sideEffectsOf(events: readonly HistoryEvent[]): SideEffect[] {
  const sent = new Map(ofType(events, 'request.start').map((start) => [start.span, start]));
  return ofType(events, 'request.effect').flatMap(({ span, effect }) => {
    const start = sent.get(span);
    if (start?.principal !== 'target' || effect.kind !== 'applied' || isOfLease(start.operation)) return [];
    const { operation, object } = start;
    return { span, operation, ...defined({ object }) };
  });
}

/** Both sides of every side effect, in order; of an upgrade, each side effect. */
export function crashPointsOf(effects: readonly SideEffect[], { isUpgrade = false } = {}): CrashName[] {
  const moments = isUpgrade ? (['upgrade'] as const) : (['before', 'after'] as const);
  return effects.flatMap((_effect, index) => moments.map((moment) => ({ moment, nth: index + 1 })));
}

/** All that a trial needs to know of a crash point. @throws RangeError when there is no such side effect */
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

/** The inverse of `formatCrashPoint`. @throws Error when it is none */
export function parseCrashPoint(text: string): CrashName {
  const [name, nth] = text.split(':');
  const moment = CRASH_MOMENTS.find((known) => known === name);
  if (moment === undefined) throw new Error(`"${text}" is no crash point`);
  return { moment, nth: Number(nth) };
}
