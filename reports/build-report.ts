import type { HistoryEvent } from '../history/events.ts';
import { growthOf } from '../history/growth.ts';
import { summarizePhase } from '../history/latency.ts';
import type { PhaseWaits } from '../history/measures.ts';
import { mergeWaits, waitCurveOf } from '../history/wait-curve.ts';
import type { FaultLife } from '../history/lives.ts';
import { closeness, combine } from '../history/verdict.ts';
import type { Finding, TrialResult, Verdict } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { causesFirst } from './causes.ts';
import { isVirtual } from './clock.ts';
import { crashVerdicts, isCrashTrial, reportCrashPoints } from './crash-points.ts';
import { createDescriber } from './describe-event.ts';
import type { Describe } from './describe-event.ts';
import { gapVerdicts } from './manifests.ts';
import { profileSchema } from './report-input.ts';
import type { Profile, ReportInput, ReportTrial, RunFacts } from './report-input.ts';
import { judgeRequirements } from './requirements.ts';
import { REPORT_API_VERSION } from './run-report.ts';
import type {
  BoundReport,
  FaultReport,
  ProfileReport,
  ReportedFinding,
  RunReport,
  ScenarioReport,
  TotalWaits,
  TrialReport,
  UsageReport,
} from './run-report.ts';

/** Most events of a finding that the report describes; the history has all of them. */
export const MAX_EVIDENCE = 40;

/** The contribution of one trial to its scenario. */
interface Digest {
  readonly report: TrialReport;
  readonly result: TrialResult;
  readonly phases: readonly PhaseWaits[];
  readonly faults: readonly FaultLife[];
}

/** A requested scenario. */
type Asked = RunFacts['scenarios'][number];

/**
 * The report of a run as data. Pure. Scenarios are grouped by profile, and they and their trials are in planned order, with any order of
 * `trials`. Events are read once, and only for trials with findings.
 * @throws Error when a trial has a scenario that is not part of the run
 */
export function buildReport({ run, trials, notRun }: ReportInput): RunReport {
  const asked = new Set(run.scenarios.map(({ id }) => id));
  const unexpected = trials.find(({ result }) => !asked.has(result.scenario));
  if (unexpected !== undefined) throw new Error(`${unexpected.result.scenario} has a trial, but is not part of the run`);
  // The many trials of crash points are only listed in a table, and their events are not read.
  const crashes = trials.map(({ result }) => result).filter(({ crash }) => crash !== undefined);
  const digests = trials.filter(({ result }) => result.crash === undefined).map(digestTrial);
  const scenarios = scenariosOf(run, digests, crashes, notRun);
  const virtualMs = sum([...digests.map(({ result }) => result), ...crashes], (result) => result.virtualMs);
  const { format: _format, planned: _planned, notRun: _notRun, wallMs, requirements, ...facts } = run;
  const hasTime = wallMs !== undefined;
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'ConformanceReport',
    run: {
      ...facts,
      ...(hasTime ? { wallMs } : {}),
      virtualMs,
      ...(hasTime && wallMs > 0 && isVirtual(run) ? { ratio: virtualMs / wallMs } : {}),
    },
    verdict: combine([...scenarios.map(({ verdict }) => verdict), ...gapVerdicts(run.manifests)]),
    totals: { ...totalsOf(scenarios, notRun), waits: mergeWaits(digests.map(({ phases }) => phases)).map(totalWaits) },
    profiles: profileSchema.options.flatMap((name) => profileReport(name, run, scenarios, notRun)),
    ...defined({ requirements: requirements && judgeRequirements(requirements, { asked: run.scenarios, scenarios, notRun }) }),
    scenarios,
    notRun: [...notRun],
  };
}

function digestTrial(trial: ReportTrial): Digest {
  const { result, seen } = trial;
  const hasFindings = result.checks.some(({ findings }) => findings.length > 0);
  const events = hasFindings ? trial.events : [];
  const describe = createDescriber(events);
  const { scenario: _scenario, title: _title, suite: _suite, target: _target, crash: _crash, ...rest } = result;
  return {
    report: {
      ...rest,
      checks: causesFirst(result.checks).map((check) => ({
        ...check,
        findings: check.findings.map((finding) => withEvidence(finding, events, describe)),
      })),
      truncated: seen.truncated,
    },
    result,
    phases: seen.phases,
    faults: seen.faults,
  };
}

function withEvidence(finding: Finding, events: readonly HistoryEvent[], describe: Describe): ReportedFinding {
  const evidence = finding.events.slice(0, MAX_EVIDENCE).flatMap((index) => {
    const event = events[index];
    if (event === undefined) return [];
    const { what, object } = describe(event);
    return { i: event.i, t: event.t, what, ...defined({ object }) };
  });
  return { ...finding, evidence };
}

/** By profile, and in each in requested order. */
function scenariosOf(
  run: RunFacts,
  digests: readonly Digest[],
  crashes: readonly TrialResult[],
  notRun: ReportInput['notRun'],
): ScenarioReport[] {
  const sorted = profileSchema.options.flatMap((profile) => run.scenarios.filter((asked) => asked.profile === profile));
  return sorted.flatMap((asked) => {
    const { id } = asked;
    const own = digests.filter(({ result }) => result.scenario === id).sort((a, b) => a.report.seed - b.report.seed);
    const missing = run.planned.filter(
      ({ scenario, seed, crash }) =>
        crash === undefined &&
        scenario === id &&
        !own.some(({ report }) => report.seed === seed) &&
        !notRun.some((one) => one.scenario === id && one.seed === seed),
    ).length;
    if (own.length + missing === 0) return [];
    const crashPoints = reportCrashPoints(
      asked.crashPoints,
      run.planned.filter(isCrashTrial).filter(({ scenario }) => scenario === id),
      crashes.filter(({ scenario }) => scenario === id),
    );
    return scenarioReport(asked, own, missing, crashPoints);
  });
}

/** Empty if the run has no scenario of the profile. */
function profileReport(name: Profile, run: RunFacts, scenarios: readonly ScenarioReport[], notRun: ReportInput['notRun']): ProfileReport[] {
  const asked = new Set(run.scenarios.filter(({ profile }) => profile === name).map(({ id }) => id));
  if (asked.size === 0) return [];
  const own = scenarios.filter(({ profile }) => profile === name);
  const left = notRun.filter(({ scenario }) => asked.has(scenario));
  const counts = scenarioCounts(own, left);
  // A shard requests only its part of the run's scenarios.
  const ofOthers = asked.size - new Set([...own.map(({ id }) => id), ...left.map(({ scenario }) => scenario)]).size;
  const known = run.notRequested?.[name];
  const notRequested = known === undefined && ofOthers === 0 ? undefined : (known ?? 0) + ofOthers;
  // A scenario with a seed that was not run still has a verdict, but its profile is partial.
  const isWhole = left.length === 0 && (notRequested ?? 0) === 0;
  const result = counts.failed > 0 ? 'failure' : counts.unknown > 0 ? 'unknown' : isWhole ? 'success' : 'partial';
  return [{ name, result, scenarios: { ...counts, ...defined({ notRequested }) } }];
}

function scenarioReport(
  { id, title, suite, profile, requirements }: Asked,
  digests: readonly Digest[],
  notBegun: number,
  crashPoints: ScenarioReport['crashPoints'],
): ScenarioReport {
  const results = digests.map(({ report }) => report);
  // A trial that never started might have failed.
  const verdicts: Verdict[] = [
    ...results.map(({ verdict }) => verdict),
    ...(notBegun > 0 ? (['unknown'] as const) : []),
    ...(crashPoints === undefined ? [] : crashVerdicts(crashPoints)),
  ];
  return {
    id,
    title,
    suite,
    profile,
    requirements,
    verdict: combine(verdicts),
    trials: {
      passed: countOf(results, 'pass'),
      failed: countOf(results, 'fail'),
      unknown: countOf(results, 'unknown'),
      notBegun,
    },
    success: sumSuccess(results),
    // A percentile of a scenario is that of the pods that completed the phase.
    latencies: mergeWaits(digests.map(({ phases }) => phases))
      .filter(({ valuesMs }) => valuesMs.length > 0)
      .map(summarizePhase),
    instances: sumInstances(results),
    faults: {
      armed: sum(results, ({ faults }) => faults.armed),
      fired: sum(results, ({ faults }) => faults.fired),
      injections: mergeFaults(digests),
    },
    bounds: mergeBounds(results),
    interleavings: new Set(results.map(({ interleaving }) => interleaving)).size,
    virtualMs: sum(results, ({ virtualMs }) => virtualMs),
    ...defined({ usage: usageOf(results), crashPoints }),
    results,
  };
}

/** Undefined if no trial measured it. */
function usageOf(results: readonly TrialReport[]): UsageReport | undefined {
  const used = results.flatMap(({ seed, usage }) => (usage === undefined ? [] : [{ seed, ...usage }]));
  const [first] = used;
  if (first === undefined) return undefined;
  const growths = used.flatMap(({ seed, samples }) => {
    const growth = growthOf({ samples });
    return growth === undefined ? [] : [{ ...growth, seed }];
  });
  const growth = growths.sort((a, b) => b.miBPerDay.lower - a.miBPerDay.lower)[0];
  return {
    trials: used.length,
    cpuMs: sum(used, ({ cpuMs }) => cpuMs),
    memory: first.memory,
    peakMiB: Math.max(...used.map(({ peakMiB }) => peakMiB)),
    ...defined({ growth }),
  };
}

/** The waits of a phase over all trials. Percentiles count pods that did not complete it as slower than all others. */
function totalWaits({ phase, ...waits }: PhaseWaits): TotalWaits {
  const { valuesMs, censoredMs } = waits;
  const at = (rank: number): number | undefined => valuesMs[Math.ceil((rank / 100) * (valuesMs.length + censoredMs.length)) - 1];
  return { phase, ...waitCurveOf(waits), ...defined({ p50Ms: at(50), p95Ms: at(95), p99Ms: at(99) }) };
}

/** Injections with the same id and fault are the same in each trial: a scenario numbers them in order. */
function mergeFaults(digests: readonly Digest[]): FaultReport[] {
  const merged = new Map<string, Omit<FaultReport, 'vacuous'>>();
  for (const { armed, fired } of digests.flatMap(({ faults }) => faults)) {
    const { id, fault, description, legal, firing } = armed.fault;
    const key = JSON.stringify([id, fault, firing]);
    const before = merged.get(key) ?? { id, fault, description, legal, firing, armedTrials: 0, firedTrials: 0, firings: 0 };
    merged.set(key, {
      ...before,
      armedTrials: before.armedTrials + 1,
      firedTrials: before.firedTrials + (fired.length > 0 ? 1 : 0),
      firings: before.firings + fired.length,
    });
  }
  return [...merged.values()].map((fault) => ({ ...fault, vacuous: fault.firing === 'may-fire' && fault.firedTrials === 0 }));
}

/** The worst value of each check's bounds: the one closest to its limit. */
function mergeBounds(results: readonly TrialReport[]): BoundReport[] {
  const merged = new Map<string, BoundReport>();
  for (const { seed, checks } of results) {
    for (const { check, measurements } of checks) {
      for (const { bound, worst, object } of measurements) {
        const key = JSON.stringify([check, bound.name]);
        const before = merged.get(key);
        if (before !== undefined && nearness({ bound, worst }) <= nearness(before)) continue;
        merged.set(key, { check, bound, ...defined({ worst, seed: worst === undefined ? undefined : seed, object }) });
      }
    }
  }
  return [...merged.values()];
}

/** How close a value came to its limit. Limits may differ between trials, and some are minimums. */
function nearness({ bound, worst }: Pick<BoundReport, 'bound'> & { readonly worst?: number | undefined }): number {
  return worst === undefined ? -Infinity : (closeness({ bound, worst }) ?? worst);
}

function totalsOf(scenarios: readonly ScenarioReport[], notRun: ReportInput['notRun']): Omit<RunReport['totals'], 'waits'> {
  const crashed = scenarios.flatMap(({ crashPoints }) => crashPoints ?? []);
  return {
    scenarios: scenarioCounts(scenarios, notRun),
    trials: {
      passed: sum(scenarios, ({ trials }) => trials.passed),
      failed: sum(scenarios, ({ trials }) => trials.failed),
      unknown: sum(scenarios, ({ trials }) => trials.unknown),
      notBegun: sum(scenarios, ({ trials }) => trials.notBegun),
      notRun: notRun.length,
    },
    success: sumSuccess(scenarios),
    instances: sumInstances(scenarios),
    faults: { armed: sum(scenarios, ({ faults }) => faults.armed), fired: sum(scenarios, ({ faults }) => faults.fired) },
    findings: sum(scenarios, ({ results }) => sum(results, ({ checks }) => sum(checks, ({ findings }) => findings.length))),
    interleavings: sum(scenarios, ({ interleavings }) => interleavings),
    ...(crashed.length === 0
      ? {}
      : {
          crashPoints: {
            passed: sum(crashed, ({ passed }) => passed),
            failed: sum(crashed, ({ failed }) => failed),
            unknown: sum(crashed, ({ unknown }) => unknown),
          },
        }),
  };
}

/** A scenario without any run trial counts as not run. */
function scenarioCounts(scenarios: readonly ScenarioReport[], notRun: ReportInput['notRun']): ProfileReport['scenarios'] {
  const ran = new Set(scenarios.map(({ id }) => id));
  return {
    passed: countOf(scenarios, 'pass'),
    failed: countOf(scenarios, 'fail'),
    unknown: countOf(scenarios, 'unknown'),
    notRun: new Set(notRun.map(({ scenario }) => scenario).filter((id) => !ran.has(id))).size,
  };
}

function sumSuccess(parts: readonly Pick<TrialReport, 'success'>[]): TrialReport['success'] {
  return { served: sum(parts, ({ success }) => success.served), asked: sum(parts, ({ success }) => success.asked) };
}

function sumInstances(parts: readonly Pick<TrialReport, 'instances'>[]): TrialReport['instances'] {
  return {
    created: sum(parts, ({ instances }) => instances.created),
    terminated: sum(parts, ({ instances }) => instances.terminated),
    live: sum(parts, ({ instances }) => instances.live),
    leaked: sum(parts, ({ instances }) => instances.leaked),
  };
}

function countOf(parts: readonly { readonly verdict: Verdict }[], verdict: Verdict): number {
  return parts.filter((part) => part.verdict === verdict).length;
}

function sum<T>(parts: readonly T[], valueOf: (part: T) => number): number {
  return parts.reduce((total, part) => total + valueOf(part), 0);
}
