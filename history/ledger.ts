import { MAX_FIRINGS_RECORDED } from './events.ts';
import type { ClaimLife, InstanceLife, NodeLife, RequestLife } from './lives.ts';
import { pausesOf } from './pauses.ts';
import { nodesOf } from './view.ts';
import type { View } from './view.ts';

/** One instance in the ledger: who launched it, and what happened to it. Times are milliseconds since the start of the trial. */
export interface LedgerEntry {
  readonly instance: InstanceLife;
  /** The target's request that launched it: then it is the target's, whether tagged or not. */
  readonly request: RequestLife | undefined;
  readonly token: string | undefined;
  /** The nodes that it was, in order: usually one. */
  readonly nodes: readonly NodeLife[];
  readonly claim: ClaimLife | undefined;
  readonly launchedMs: number;
  readonly runningMs: number | undefined;
  /** When it started to terminate. */
  readonly endedMs: number | undefined;
  readonly endReason: string | undefined;
  /** The target's request that terminated it. */
  readonly endRequest: RequestLife | undefined;
}

/** The ledger of a trial, in the order of launches. */
export function createLedger(view: View): LedgerEntry[] {
  const claims = new Map(view.claims.flatMap((claim) => (claim.instance === undefined ? [] : [[claim.instance, claim] as const])));
  return view.instances.map((instance) => {
    const request = requestOf(view, instance.launched.span);
    return {
      instance,
      request,
      token: instance.token,
      nodes: nodesOf(view, instance),
      claim: claims.get(instance.id),
      launchedMs: instance.launched.t,
      runningMs: instance.running?.t,
      endedMs: instance.ending?.t,
      endReason: instance.ending?.reason,
      endRequest: requestOf(view, instance.ending?.span),
    };
  });
}

/** An instance that a request of the target launched. */
export interface TargetsEntry extends LedgerEntry {
  readonly request: RequestLife;
}

/** The instances that the target's own requests launched. */
export function launchedByTarget(ledger: readonly LedgerEntry[]): TargetsEntry[] {
  return ledger.filter((entry): entry is TargetsEntry => entry.request !== undefined);
}

/**
 * The instances that the target has to terminate: those that its requests launched, those that its groups launched by themselves,
 * and, where an observer does not see requests, all that were launched for its cluster.
 */
export function targetsInstances(view: View): LedgerEntry[] {
  const ledger = createLedger(view);
  const seesRequests = view.begin?.world.capabilities.includes('wire.aws') !== false;
  return seesRequests ? ledger.filter(({ request, instance }) => request !== undefined || instance.group !== undefined) : ledger;
}

/** A time when an instance was live without a registered node. */
export interface Gap {
  readonly fromMs: number;
  /** Its node registered, or it started to terminate; the end of the history if neither was observed. */
  readonly toMs: number;
  /** The previous node of the instance; undefined for the gap after the launch. */
  readonly lost: NodeLife | undefined;
}

/** The times when a live instance had no registered node, in order. */
export function gapsOf(entry: LedgerEntry, endMs: number): Gap[] {
  const lastMs = entry.endedMs ?? endMs;
  const gaps: Gap[] = [];
  let fromMs = entry.launchedMs;
  let lost: NodeLife | undefined;
  for (const node of entry.nodes) {
    const linkedMs = Math.min(node.linked?.t ?? lastMs, lastMs);
    if (linkedMs > fromMs) gaps.push({ fromMs, toMs: linkedMs, lost });
    if (node.gone === undefined) return gaps;
    if (node.gone.t >= fromMs) {
      fromMs = node.gone.t;
      lost = node;
    }
  }
  if (lastMs > fromMs) gaps.push({ fromMs, toMs: lastMs, lost });
  return gaps;
}

/**
 * A time when a fault kept the target from its instances. Most last a moment; a fault that fired more often than the history
 * records counts as lasting until its heal, which is undefined until it happens.
 */
export interface Setback {
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

/**
 * What kept the target from its work, in order: its provoked crashes, its pauses, and faults that hit its requests or the world itself
 * (without a request), except those that hinder nothing. Of requests only those to AWS count, unless any are selected:
 * terminating an instance takes only EC2, but removing a Node takes the Kubernetes API. Before it is ready, all of its requests count: it may
 * not start without their answers.
 */
export function setbacksOf(view: View, which: 'aws-requests' | 'any-request' = 'aws-requests'): Setback[] {
  const ofFaults = view.faults.flatMap(({ armed, fired, healed }) => {
    if (armed.fault.hinders === false) return [];
    const counted = fired.filter(({ span }) => which === 'any-request' || concernsInstances(view, span) || isOfStart(view, span));
    const moments = counted.map(({ t }): Setback => ({ fromMs: t, toMs: t }));
    const last = moments.at(-1);
    // What is not recorded belongs to no start that is over.
    const mayGoOn = counted.some(({ span }) => !isOfStart(view, span)) || isOfStart(view, fired.at(-1)?.span);
    return last !== undefined && mayGoOn && fired.length >= MAX_FIRINGS_RECORDED
      ? [...moments, { fromMs: last.fromMs, toMs: healed?.t }]
      : moments;
  });
  return [...ofFaults, ...standstillsOf(view)].sort((a, b) => a.fromMs - b.fromMs);
}

/** When the target could do nothing at all: its pauses and its provoked crashes. */
export function standstillsOf(view: View): Setback[] {
  const ofDeaths = view.incarnations.flatMap(({ exit }) => (exit?.provoked === true ? { fromMs: exit.t, toMs: exit.t } : []));
  return [...pausesOf(view), ...ofDeaths];
}

function concernsInstances(view: View, span: number | undefined): boolean {
  return span === undefined || view.requests.get(span)?.start.wire === 'aws';
}

/** Whether a request was sent before its incarnation was ready. */
function isOfStart({ requests, incarnations }: View, span: number | undefined): boolean {
  const start = span === undefined ? undefined : requests.get(span)?.start;
  return start !== undefined && incarnations.some(({ number, ready }) => number === start.incarnation && start.i < (ready?.i ?? Infinity));
}

/**
 * When a gap must be over: one bound after it began, or after the last setback, as long as each setback came before the bound
 * had passed. Undefined while a setback lasts.
 *
 * More history never makes it later: a gap that is overdue stays overdue.
 * @param setbacks in order
 */
export function gapDueMs(setbacks: readonly Setback[], gap: Pick<Gap, 'fromMs'>, boundMs: number): number | undefined {
  let dueMs = gap.fromMs + boundMs;
  for (const { fromMs, toMs } of setbacks) {
    if (fromMs > dueMs) break;
    if (toMs === undefined) return undefined;
    if (toMs > gap.fromMs) dueMs = Math.max(dueMs, toMs + boundMs);
  }
  return dueMs;
}

function requestOf(view: View, span: number | undefined): RequestLife | undefined {
  return span === undefined ? undefined : view.requests.get(span);
}
