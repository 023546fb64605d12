import type { RequestLife } from '../history/lives.ts';
import { closeness } from '../history/verdict.ts';
import type { TrialResult } from '../history/verdict.ts';
import type { View } from '../history/view.ts';

/**
 * What a trial reached, as keys. A scenario that reaches something new is kept and varied: whatever is near it is likelier to reach
 * something new again than a scenario drawn from nothing.
 * @param blocks of its own code that the target has run
 */
export function coverageOf(view: View, { checks }: Pick<TrialResult, 'checks'>, blocks: readonly number[] = []): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const request of view.requests.values()) keys.add(requestKey(request));
  addFaults(keys, view);
  for (const { principal, by, reason, level } of view.said) if (principal === 'target' && by !== 'log') keys.add(`said ${level} ${reason}`);
  for (const { steps } of view.pods) addPath(keys, 'pod', steps);
  for (const { steps } of view.nodes) addPath(keys, 'node', steps);
  for (const { steps } of view.claims) addPath(keys, 'claim', steps);
  for (const { steps } of view.instances) addPath(keys, 'instance', steps);
  for (const { kind, receptions } of view.notices) keys.add(`notice ${kind} received ${Math.min(2, receptions.length)}`);
  keys.add(`incarnations ${Math.min(4, view.incarnations.length)}`);
  for (const { findings, measurements } of checks) {
    for (const { code } of findings) keys.add(`finding ${code}`);
    for (const measurement of measurements) {
      const ratio = closeness(measurement);
      if (ratio !== undefined && ratio >= NEAR) keys.add(`near ${measurement.bound.name} ${Math.min(10, Math.floor(ratio * 10))}`);
    }
  }
  for (const block of blocks) keys.add(`code ${block}`);
  return keys;
}

/** From this share of a bound on, how near it is counts. */
const NEAR = 0.5;

/** The operations that the target sent: faults may strike at each of them. */
export function operationsIn(view: View): ReadonlySet<string> {
  return new Set([...view.requests.values()].map(({ start }) => start.operation));
}

/** An operation, what it did, and what the target was told. */
function requestKey({ start, effect, end }: RequestLife): string {
  const { kind = 'nothing' } = effect?.effect ?? {};
  return `request ${start.operation} ${kind} ${end?.outcome ?? 'unanswered'} ${end?.code ?? ''}`;
}

function addFaults(keys: Set<string>, view: View): void {
  const nodes = changesOf(view.nodes);
  const pods = changesOf(view.pods);
  const active = view.faults.flatMap(({ armed, fired, healed }) =>
    fired.length === 0
      ? []
      : [{ name: armed.fault.fault, params: armed.fault.params, fromMs: armed.t, toMs: healed?.t ?? view.endMs, fired }],
  );
  for (const { name, params, fired } of active) {
    for (const size of sizesOf(params)) keys.add(`fault ${name} ${size}`);
    for (const { t, span } of fired) {
      const operation = span === undefined ? '' : (view.requests.get(span)?.start.operation ?? '');
      keys.add(`fault ${name} ${operation}`);
      // What the cluster was doing at that moment.
      keys.add(`fault ${name} with ${amountAt(nodes, t)} nodes, ${amountAt(pods, t)} pods`);
    }
  }
  for (const one of active) {
    const beside = active.filter((other) => other !== one && other.fromMs <= one.toMs && one.fromMs <= other.toMs);
    for (const other of beside) if (one.name <= other.name) keys.add(`together ${one.name} ${other.name}`);
  }
}

/** The order of magnitude of each number among the parameters of a fault: a clock that is minutes ahead breaks what one second does not. */
function sizesOf(params: unknown): string[] {
  if (typeof params !== 'object' || params === null) return [];
  return Object.entries(params).flatMap(([field, value]) => {
    if (typeof value !== 'number' || value === 0) return [];
    return `${field} ${value < 0 ? '-' : ''}10^${Math.floor(Math.log10(Math.abs(value)))}`;
  });
}

interface Change {
  readonly t: number;
  readonly by: 1 | -1;
}

/** When things came and went, in order. */
function changesOf(
  lives: readonly { readonly created: { readonly t: number } | undefined; readonly gone: { readonly t: number } | undefined }[],
): Change[] {
  return lives
    .flatMap(({ created, gone }): Change[] => [
      ...(created === undefined ? [] : [{ t: created.t, by: 1 as const }]),
      ...(gone === undefined ? [] : [{ t: gone.t, by: -1 as const }]),
    ])
    .sort((a, b) => a.t - b.t);
}

/** None, one or some at a moment. */
function amountAt(changes: readonly Change[], t: number): string {
  const amount = changes.filter((change) => change.t <= t).reduce((sum, { by }) => sum + by, 0);
  return amount <= 0 ? 'no' : amount === 1 ? 'one' : 'some';
}

/** The steps of a life in their order, each pair of neighbours with its reason. */
function addPath(keys: Set<string>, what: string, steps: readonly { readonly to: string; readonly reason?: string | undefined }[]): void {
  let before = '';
  for (const { to, reason } of steps) {
    keys.add(`${what} ${before} > ${to} ${reason !== undefined && /^[A-Za-z.]{1,60}$/.test(reason) ? reason : ''}`);
    before = to;
  }
}
