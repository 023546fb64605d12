import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { judge } from '../checks/judge.ts';
import type { HistoryEvent } from '../history/events.ts';
import { closeness } from '../history/verdict.ts';
import type { Finding, TrialResult, Verdict } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import type { Declaration } from '../targets/mutants/mutant.ts';

/** A finding without its evidence, and the check that made it. */
export type FoundIn = Pick<Finding, 'code' | 'object' | 'message'> & { readonly check: string };

/** The finding in the shortest prefix of a trial's history that fails. */
export interface FirstFinding extends FoundIn {
  /** Virtual milliseconds since the start of the trial. */
  readonly atMs: number;
}

/** What the matrix keeps of one trial. */
export interface MatrixTrial {
  readonly target: string;
  readonly scenario: string;
  readonly seed: number;
  readonly verdict: Verdict;
  readonly replay: string;
  readonly findings: readonly FoundIn[];
  /** Only of failures. */
  readonly first?: FirstFinding;
  /** Why checks gave no verdict. */
  readonly unknowns: readonly string[];
  /** Names of the kinds of faults that fired. */
  readonly fired: readonly string[];
  /** How close each bound came to being exceeded, as a ratio; 0 where nothing was measured. */
  readonly bounds: readonly { readonly check: string; readonly bound: string; readonly ratio: number }[];
}

/** @param events of its history; may be empty if the fired faults don't matter, as in a mutant's trial that passes */
export function digestTrial(result: TrialResult, events: readonly HistoryEvent[]): MatrixTrial {
  const first = result.verdict === 'fail' ? firstFinding(result, events) : undefined;
  const fired = createView(events).faults.flatMap((fault) => (fault.fired.length === 0 ? [] : [fault.armed.fault.fault]));
  return {
    target: result.target,
    scenario: result.scenario,
    seed: result.seed,
    verdict: result.verdict,
    replay: result.replay,
    findings: findingsOf(result),
    ...defined({ first }),
    unknowns: result.checks.flatMap(({ check, verdict, summary }) => (verdict === 'unknown' ? [`${check}: ${summary}`] : [])),
    fired: [...new Set(fired)],
    bounds: result.checks.flatMap(({ check, measurements }) =>
      measurements.map((measurement) => ({ check, bound: measurement.bound.name, ratio: closeness(measurement) ?? 0 })),
    ),
  };
}

function findingsOf({ checks }: Pick<TrialResult, 'checks'>): FoundIn[] {
  return checks.flatMap(({ check, findings }) => findings.map(({ code, object, message }) => ({ check, code, object, message })));
}

/**
 * The first provable finding: checks judge any prefix of a history, and bisection finds the shortest one that fails. That is
 * when an operator who sees everything could have known.
 */
function firstFinding({ checks }: TrialResult, events: readonly HistoryEvent[]): FirstFinding | undefined {
  const names = checks.flatMap(({ check, findings }) => (findings.length === 0 ? [] : [check]));
  const those: readonly Check[] = checkCatalogue.filter(({ name }) => names.includes(name));
  const foundIn = (length: number): FoundIn | undefined => findingsOf(judge(events.slice(0, length), false, those))[0];
  let passing = 0;
  let failing = events.length;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (foundIn(middle) === undefined) passing = middle;
    else failing = middle;
  }
  const found = foundIn(failing) ?? findingsOf({ checks })[0];
  return found === undefined ? undefined : { ...found, atMs: events[failing - 1]?.t ?? 0 };
}

/** Whether a finding is the one that a mutant declared. */
export function isDeclared({ check, code, object }: Omit<FoundIn, 'message'>, declared: Declaration): boolean {
  return check === declared.check && code === declared.code && matches(object, declared.object);
}

/** @param pattern where `*` stands for any text */
function matches(text: string, pattern: string): boolean {
  const literal = (part: string): string => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
  return new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`, 's').test(text);
}
