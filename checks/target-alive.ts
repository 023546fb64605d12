import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { EventOf } from '../history/events.ts';
import type { Incarnation } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { pausesOf } from '../history/pauses.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { count, duration, indexes, safetyPart, unknownPart } from './parts.ts';

/** A leader that could not renew its lease exits within this time: client-go's default lease is 15 s, some use a minute. */
const LEASE_MS = 60_000;
/** Whoever was paused for longer has lost its lease, if that is client-go's default, and may have run into its own timeouts. */
const DEFAULT_LEASE_MS = 15_000;

/**
 * The target stays alive through the trial. Being killed by a fault and restarted is fine, and so is an exit by design:
 * because its lease could not be renewed after a fault hit its requests or paused it, or because its first requests failed before it
 * was ready, or the first lists of a kind. So is a stop on request. Any other exit, a panic (even a recovered one), not becoming
 * ready, not stopping on request, and whatever made the supervisor end the trial are findings.
 */
export const targetAlive: Check = {
  name: 'target-alive',
  summary: 'the target does not exit, panic, hang, spin, flood the API or run out of memory',
  codes: {
    exited: 'the target exited by itself',
    'not-stopped': 'the target was told to stop, and had to be killed at the end of its grace period',
    panicked: 'the target exited with an unhandled error',
    'recovered-panic': 'the target recovered from a panic',
    'not-ready': 'the target did not become ready',
    hung: 'the target blocked everything else, or never answered',
    spun: 'the target was busy without letting time pass',
    'out-of-memory': 'the target used more memory than a trial allows',
    flooded: 'the target sent more requests than any autoscaler needs',
  },
  judge: (view) => {
    // With endpoints of its own, the target can't be observed here.
    if (view.begin?.world.capabilities.includes('wire.kube') === false) return undefined;
    const findings = [...exits(view), ...panics(view), ...notReady(view), ...ended(view)].sort(
      (a, b) => (a.events[0] ?? 0) - (b.events[0] ?? 0),
    );
    if (findings.length === 0 && view.incarnations.length === 0) return unknownPart('the target was never started');
    const provoked = view.incarnations.filter(({ exit }) => exit?.provoked === true).length;
    const byDesign = view.incarnations.filter((incarnation) => isByDesign(view, incarnation)).length;
    const starts = [
      count(view.incarnations.length, 'start'),
      `${provoked} after a provoked crash`,
      ...(byDesign === 0 ? [] : [`${byDesign} after it exited by design because of a fault`]),
    ].join(', ');
    return safetyPart(view, findings, findings.length === 0 ? starts : `${starts}; ${count(findings.length, 'finding')}`);
  },
};

function exits(view: View): Finding[] {
  return view.incarnations.flatMap((incarnation) => {
    const { number, exit } = incarnation;
    if (exit?.overdue === true)
      return isHeldUp(view, incarnation)
        ? []
        : [finding('not-stopped', exit, `The target's incarnation ${number} did not stop: it was ${exit.reason}.`)];
    return exit === undefined || exit.provoked || isByDesign(view, incarnation)
      ? []
      : [finding('exited', exit, `The target's incarnation ${number} exited by itself at ${duration(exit.t)}: it ${exit.reason}.`)];
  });
}

/**
 * Whether a fault kept it from stopping in time: it was paused for most of its grace period, or it may have waited for the answer to a
 * request that was struck.
 */
function isHeldUp(view: View, { number, start, stop, exit }: Incarnation): boolean {
  const [stopMs, exitMs] = [stop?.t ?? 0, exit?.t ?? Infinity];
  // Pauses that overlap count twice, which excuses more.
  const pausedMs = pausesOf(view)
    .filter(({ fromMs }) => fromMs >= start.t)
    .map(({ fromMs, toMs = Infinity }) => Math.max(0, Math.min(toMs, exitMs) - Math.max(fromMs, stopMs)))
    .reduce((sum, ms) => sum + ms, 0);
  if (pausedMs > (exitMs - stopMs) / 2) return true;
  return view.faults.some(
    ({ armed, fired, healed }) =>
      armed.i < (exit?.i ?? Infinity) &&
      (healed?.i ?? Infinity) > (stop?.i ?? 0) &&
      fired.some(({ span }) => span !== undefined && view.requests.get(span)?.start.incarnation === number),
  );
}

/** Whether a correct autoscaler would exit then, to be restarted: because of its lease, a pause, or before it was ready. */
function isByDesign(view: View, { number, exit, ready, start }: Incarnation): boolean {
  if (exit === undefined || exit.provoked || view.panics.some(({ incarnation }) => incarnation === number)) return false;
  const isAfterPause = pausesOf(view).some(
    ({ fromMs, toMs = Infinity }) => fromMs >= start.t && toMs - fromMs > DEFAULT_LEASE_MS && exit.t >= toMs && exit.t - toMs <= LEASE_MS,
  );
  if (isAfterPause) return true;
  return struckBefore(view, exit).some(({ t, span }) => {
    const request = span === undefined ? undefined : view.requests.get(span)?.start;
    if (request?.principal !== 'target' || request.incarnation !== number) return false;
    const isOfLease = request.wire === 'kube' && request.mutating && request.operation.endsWith(' leases') && exit.t - t <= LEASE_MS;
    return isOfLease || (ready === undefined && t >= start.t) || isNeverRead(view, request, exit);
  });
}

/** Where faults struck, also after more firings than are recorded: then each request that failed while such a fault was active may be one. */
function struckBefore(view: View, exit: EventOf<'target.exit'>): readonly { readonly t: number; readonly span?: number | undefined }[] {
  const recorded = view.faults.flatMap(({ fired }) => fired).filter(({ i }) => i < exit.i);
  const further = view.faults.flatMap(({ fired, healed }) => {
    const last = fired.at(-1);
    if (last === undefined || fired.length < MAX_FIRINGS_RECORDED) return [];
    const toIndex = Math.min(exit.i, healed?.i ?? Infinity);
    return [...view.requests.values()]
      .filter(({ start, end }) => start.i > last.i && start.i < toIndex && end?.outcome !== 'ok')
      .map(({ start, span }) => ({ t: start.t, span }));
  });
  return [...recorded, ...further];
}

/** Whether it is a list or watch of a kind that was never read until the end: client-go and its users give up on a cache that stays empty. */
function isNeverRead(view: View, { wire, operation, incarnation }: EventOf<'request.start'>, exit: EventOf<'target.exit'>): boolean {
  if (wire !== 'kube' || !/^(list|watch) /.test(operation)) return false;
  return ![...view.requests.values()].some(
    ({ start, end }) => start.operation === operation && start.incarnation === incarnation && end?.outcome === 'ok' && end.i < exit.i,
  );
}

function panics(view: View): Finding[] {
  return view.panics.map((panic) =>
    panic.recovered
      ? finding('recovered-panic', panic, `The target recovered from a panic at ${duration(panic.t)}: ${panic.message}.`)
      : finding('panicked', panic, `The target panicked at ${duration(panic.t)}: ${panic.message}.`),
  );
}

/**
 * The first incarnation must be ready when the scenario begins. When the trial is over the last one must be, unless it was
 * started, or killed by a fault, while the world settled. One that exited by itself already has a finding.
 */
function notReady(view: View): Finding[] {
  const { incarnations, phases } = view;
  const act = phases.get('act');
  if (act !== undefined && !incarnations.some(({ ready }) => ready !== undefined && ready.i < act.i)) {
    return [finding('not-ready', act, `The target had not become ready when the scenario began at ${duration(act.t)}.`)];
  }
  const last = incarnations.at(-1);
  const settle = phases.get('settle');
  const over = phases.get('over');
  if (last === undefined || settle === undefined || over === undefined || (last.exit ?? last.start).i > settle.i) return [];
  if (last.exit?.provoked === true) {
    return [finding('not-ready', last.exit, `The target was killed at ${duration(last.exit.t)} and never started again.`)];
  }
  if (last.exit !== undefined || last.ready !== undefined || isStillRecovering(view, last.start.t, over.t)) return [];
  return [
    finding('not-ready', last.start, `The target's incarnation ${last.number}, started at ${duration(last.start.t)}, never became ready.`),
  ];
}

/** How long a target that a fault kept from starting may take afterwards. */
const RECOVERY_BOUND = 'recover';

/** Whether a fault was active until so short a time before the end that the target need not be ready yet. */
function isStillRecovering({ faults, bounds }: View, startMs: number, overMs: number): boolean {
  const boundMs = bounds.get(RECOVERY_BOUND)?.value ?? 0;
  const hindering = faults.filter(
    ({ armed, fired, healed }) => armed.fault.hinders !== false && fired.length > 0 && (healed?.t ?? overMs) > startMs,
  );
  return hindering.some(({ healed }) => overMs - (healed?.t ?? overMs) < boundMs);
}

/** Why the supervisor ended the trial. */
function ended(view: View): Finding[] {
  return view.supervisor.flatMap((event) =>
    event.culprit === 'target' && event.cause !== 'interrupted'
      ? [finding(event.cause, event, `The trial had to be ended: ${event.message}.`)]
      : [],
  );
}

function finding(
  code: string,
  event: EventOf<'target.exit' | 'target.panic' | 'phase' | 'target.start' | 'supervisor'>,
  message: string,
): Finding {
  return { code, object: 'target', events: indexes([event]), message };
}
