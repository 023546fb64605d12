import { combine } from '../history/verdict.ts';
import type { NotRun, Verdict } from '../history/verdict.ts';
import { crashTrialsOf } from './crash-points.ts';
import type { RequirementFacts, RunFacts } from './report-input.ts';
import type { RequirementReport, ScenarioReport } from './run-report.ts';

/** The results of a run for the specification. */
interface Evidence {
  readonly asked: RunFacts['scenarios'];
  readonly scenarios: readonly ScenarioReport[];
  readonly notRun: readonly NotRun[];
}

/**
 * Judges every requirement by the scenarios that test it. A finding counts against those requirements of its scenario that it breaches;
 * one that breaches none counts against all of them, since the scenario did not show what it should.
 */
export function judgeRequirements(requirements: readonly RequirementFacts[], { asked, scenarios, notRun }: Evidence): RequirementReport[] {
  const breached = new Map(scenarios.map((scenario) => [scenario.id, breachedBy(scenario, requirements)]));
  const reasons = new Map(notRun.map(({ scenario, reason }) => [scenario, reason]));
  return requirements.map(({ id, level, area, profile, title, scenarios: all }) => {
    const testing = asked.filter((scenario) => scenario.requirements.includes(id));
    const ran = scenarios
      .filter((scenario) => scenario.requirements.includes(id))
      .map((scenario) => ({ id: scenario.id, verdict: verdictOf(scenario, breached.get(scenario.id)?.has(id) === true) }));
    return {
      id,
      level,
      area,
      profile,
      title,
      verdict: ran.length === 0 ? 'not-run' : combine(ran.map(({ verdict }) => verdict)),
      scenarios: ran,
      notRun: testing.flatMap((scenario) => {
        const reason = reasons.get(scenario.id);
        return reason === undefined || ran.some((one) => one.id === scenario.id) ? [] : [{ id: scenario.id, reason }];
      }),
      notAskedFor: all.filter((scenario) => !asked.some((one) => one.id === scenario)),
    };
  });
}

/** Ids of the scenario's requirements that its findings breach. */
function breachedBy(scenario: ScenarioReport, all: readonly RequirementFacts[]): Set<string> {
  const tested = all.filter(({ id }) => scenario.requirements.includes(id));
  return new Set(
    findingsOf(scenario).flatMap(({ check, code }) => {
      const breached = tested.filter(({ breaches }) => breaches[check]?.includes(code));
      return (breached.length > 0 ? breached : tested).map(({ id }) => id);
    }),
  );
}

/** The findings of its trials, and the first finding at each crash point. */
function findingsOf({ results, crashPoints }: ScenarioReport): { readonly check: string; readonly code: string }[] {
  const crashes = (crashPoints?.points ?? []).flatMap(crashTrialsOf);
  return [
    ...results.flatMap(({ checks }) => checks.flatMap(({ check, findings }) => findings.map(({ code }) => ({ check, code })))),
    ...crashes.flatMap(({ check, code }) => (check === undefined || code === undefined ? [] : { check, code })),
  ];
}

/** The verdict of a scenario on a requirement that it tests. If it failed by something else, it is unknown if a check could not judge. */
function verdictOf(scenario: ScenarioReport, isBreached: boolean): Verdict {
  if (isBreached) return 'fail';
  if (scenario.verdict !== 'fail') return scenario.verdict;
  const { results, trials, crashPoints } = scenario;
  const isUnknown =
    trials.notBegun > 0 ||
    (crashPoints?.unknown ?? 0) > 0 ||
    crashPoints?.uncounted !== undefined ||
    results.some(({ checks }) => checks.some(({ verdict }) => verdict === 'unknown'));
  return isUnknown ? 'unknown' : 'pass';
}
