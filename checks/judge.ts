import type { HistoryEvent } from '../history/events.ts';
import { digestInterleaving } from '../history/interleaving.ts';
import { latenciesOf } from '../history/latency.ts';
import { targetsInstances } from '../history/ledger.ts';
import { combine } from '../history/verdict.ts';
import type { CheckResult, TrialResult } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import type { View } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import { checkCatalogue } from './catalogue.ts';
import type { Check } from './check.ts';

/** All results of judging one history. */
export type Judgement = Pick<
  TrialResult,
  'verdict' | 'checks' | 'success' | 'latencies' | 'instances' | 'faults' | 'interleaving' | 'virtualMs' | 'usage'
>;

/**
 * Judges a history, complete or not: any finding means fail, and what could not be judged is unknown.
 * @param truncated the history's last line was cut off
 * @param checks by default all
 */
export function judge(events: readonly HistoryEvent[], truncated: boolean, checks: readonly Check[] = checkCatalogue): Judgement {
  return judgeView(createView(events, { truncated }), checks);
}

/** The same for a view that already exists. */
export function judgeView(view: View, checks: readonly Check[] = checkCatalogue): Judgement {
  const results = checks.flatMap((check) => runCheck(check, view) ?? []);
  return {
    verdict: combine(results.map(({ verdict }) => verdict)),
    checks: results,
    success: countServed(view, checks),
    latencies: latenciesOf(view),
    instances: countInstances(view, checks, results),
    faults: { armed: view.faults.length, fired: view.faults.filter(({ fired }) => fired.length > 0).length },
    interleaving: digestInterleaving(view.events),
    virtualMs: view.endMs,
    ...defined({ usage: view.usage }),
  };
}

/** A check that throws has the verdict unknown. */
function runCheck(check: Check, view: View): CheckResult | undefined {
  try {
    const result = check.judge(view);
    return result === undefined ? undefined : { check: check.name, ...result };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { check: check.name, verdict: 'unknown', summary: `the check failed: ${message}`, findings: [], measurements: [] };
  }
}

/** The sum of what the checks count as served. */
function countServed(view: View, checks: readonly Check[]): TrialResult['success'] {
  const counts = checks.flatMap((check) => check.countServed?.(view) ?? []);
  return {
    served: counts.reduce((sum, { served }) => sum + served, 0),
    asked: counts.reduce((sum, { asked }) => sum + asked, 0),
  };
}

/** Instances that the target launched. Those in the findings of a check that finds leaks count as leaked. */
function countInstances(view: View, checks: readonly Check[], results: readonly CheckResult[]): TrialResult['instances'] {
  const entries = targetsInstances(view);
  const terminated = entries.filter(({ instance }) => instance.terminated !== undefined).length;
  const finders = new Set(checks.filter(({ findsLeaks }) => findsLeaks).map(({ name }) => name));
  const findings = results.filter(({ check }) => finders.has(check)).flatMap((result) => result.findings);
  return {
    created: entries.length,
    terminated,
    live: entries.length - terminated,
    leaked: new Set(findings.map(({ object }) => object)).size,
  };
}
