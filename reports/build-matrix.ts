import type { ComparedSection, TargetComparison } from '../history/comparison.ts';
import { lowerSuccessBound, upperSuccessBound } from '../history/confidence.ts';
import { combine } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { SCENARIO_CHANGES } from './matrix-report.ts';
import type {
  CellVerdict,
  MatrixCell,
  MatrixFinding,
  MatrixReport,
  MatrixRequirement,
  MatrixScenario,
  MatrixSection,
  MeasurementChange,
  RequirementChange,
  Risk,
  ScenarioChange,
  ScenarioChangeKind,
  Upgrade,
} from './matrix-report.ts';
import { profileSchema } from './report-input.ts';
import { REPORT_API_VERSION } from './run-report.ts';
import type { RunReport, ScenarioReport } from './run-report.ts';
import { requirementId, scenarioId } from './html/scenario.ts';

/** One version of a matrix: the report of its run. */
export interface MatrixVersion {
  /** Its run directory, relative to the matrix. */
  readonly folder: string;
  readonly report: RunReport;
}

/** What was measured of the versions. */
export interface MatrixMeasures {
  /** All of them. */
  readonly all: TargetComparison;
  /** Each with its successor: one fewer than versions. */
  readonly neighbours: readonly TargetComparison[];
}

/** Percentiles above these are for comparisons of two. */
const SHOWN_PERCENTILES = /^(?!.* p\d+$)|.* p(50|95)$/;

/**
 * A matrix as data. Pure.
 * @param versions one or more, of the same scenarios and seeds
 */
export function buildMatrix(versions: readonly MatrixVersion[], { all, neighbours }: MatrixMeasures): MatrixReport {
  const [first] = versions;
  if (first === undefined) throw new Error('a matrix has at least one version');
  const { run } = first.report;
  const scenarios = scenariosOf(versions);
  const requirements = requirementsOf(versions);
  const upgrades = neighbours.map((compared, from) => upgradeOf(from, compared, { scenarios, requirements, confidence: all.confidence }));
  return {
    apiVersion: REPORT_API_VERSION,
    kind: 'ConformanceMatrix',
    scaleproof: run.versions.scaleproof,
    seeds: { first: run.seed, count: run.trials },
    ...defined({ shard: run.shard }),
    confidence: all.confidence,
    versions: versions.map(({ folder, report: { run: own } }, index) => ({
      target: own.target.name,
      folder,
      ...defined({ digest: own.target.digest }),
      page: `${folder}/report.html`,
      scenarios: countCells(scenarios.map(({ cells }) => cells[index])),
      broken: {
        must: requirements.filter(({ level, cells }) => level === 'MUST' && cells[index]?.verdict === 'fail').length,
        should: requirements.filter(({ level, cells }) => level === 'SHOULD' && cells[index]?.verdict === 'fail').length,
      },
    })),
    upgrades: upgrades.sort(byRisk),
    requirements,
    scenarios,
    measured: { trials: all.compared.trials, sections: all.sections.map(sectionOf) },
  };
}

/** The measures of a section, without the rare percentiles. */
function sectionOf({ id, title, rows }: ComparedSection): MatrixSection {
  return {
    id,
    title,
    rows: rows
      .filter((row) => SHOWN_PERCENTILES.test(row.title))
      .map(({ id: rowId, title: rowTitle, unit, better, cells }) => ({ id: rowId, title: rowTitle, unit, better, cells })),
  };
}

/** By profile, and in each in requested order. All versions have the same. */
function scenariosOf(versions: readonly MatrixVersion[]): MatrixScenario[] {
  const asked = versions[0]?.report.run.scenarios ?? [];
  const sorted = profileSchema.options.flatMap((profile) => asked.filter((one) => one.profile === profile));
  return sorted.map(({ id, title, suite, profile, requirements }) => ({
    id,
    title,
    suite,
    profile,
    requirements,
    cells: versions.map((version) => cellOf(version, id)),
  }));
}

function cellOf({ folder, report }: MatrixVersion, id: string): MatrixCell {
  const at = report.scenarios.findIndex((scenario) => scenario.id === id);
  const found = report.scenarios[at];
  const none = { passed: 0, failed: 0, unknown: 0, missing: 0 };
  const page = `${folder}/report.html`;
  if (found === undefined) {
    const reason = report.notRun.find(({ scenario }) => scenario === id)?.reason;
    if (reason !== undefined) return { verdict: 'not-run', trials: none, why: reason, findings: [], page };
    return { verdict: 'missing', trials: none, why: 'it is in another shard', findings: [], page };
  }
  const { passed, failed, unknown, notBegun } = found.trials;
  const isMissing = failed === 0 && unknown === 0 && notBegun > 0;
  const verdict = isMissing ? 'missing' : found.verdict;
  const unjudged = found.results.flatMap(({ checks }) => checks.filter((check) => check.verdict === 'unknown'))[0];
  const why = isMissing
    ? 'its trials were not all run'
    : verdict === 'unknown'
      ? (unjudged?.summary ?? 'not all of its trials have a verdict')
      : undefined;
  return {
    verdict,
    trials: { passed, failed, unknown, missing: notBegun },
    ...defined({ why }),
    findings: findingsOf(found),
    page: `${page}#${scenarioId(at)}`,
  };
}

/** The kinds of findings of a scenario, in the order of trials, which have causes first. */
function findingsOf({ results }: ScenarioReport): MatrixFinding[] {
  const kinds = new Map<string, MatrixFinding>();
  for (const { seed, replay, checks } of results) {
    const seen = new Set<string>();
    for (const { check, findings } of checks) {
      for (const { code, object, message } of findings) {
        const key = `${check} ${code}`;
        const known = kinds.get(key);
        if (known === undefined) kinds.set(key, { check, code, trials: 1, message, object, seed, replay });
        else if (!seen.has(key)) kinds.set(key, { ...known, trials: known.trials + 1 });
        seen.add(key);
      }
    }
  }
  return [...kinds.values()];
}

/** The requirements that scenarios of the matrix test. */
function requirementsOf(versions: readonly MatrixVersion[]): MatrixRequirement[] {
  const [first] = versions;
  const asked = new Set(first?.report.run.scenarios.flatMap(({ requirements }) => requirements));
  return (first?.report.requirements ?? [])
    .filter(({ id }) => asked.has(id))
    .map(({ id, level, area, profile, title }) => ({
      id,
      level,
      area,
      profile,
      title,
      scenarios: first?.report.run.scenarios.filter((scenario) => scenario.requirements.includes(id)).map((scenario) => scenario.id) ?? [],
      cells: versions.map(({ folder, report }) => {
        const own = report.requirements?.find((one) => one.id === id);
        const ran = own?.scenarios.map((scenario) => ({
          ...scenario,
          isMissing: cellOf({ folder, report }, scenario.id).verdict === 'missing',
        }));
        const judged = ran?.filter(({ isMissing }) => !isMissing) ?? [];
        const isPartial = judged.length < (ran?.length ?? 0);
        const verdict: CellVerdict =
          judged.length > 0
            ? combine(judged.map((one) => one.verdict))
            : isPartial || (own?.notRun.length ?? 0) === 0
              ? 'missing'
              : 'not-run';
        return {
          // What is not run yet could still break it.
          verdict: verdict === 'pass' && isPartial ? 'missing' : verdict,
          breachedBy: judged.filter((one) => one.verdict === 'fail').map((scenario) => scenario.id),
          page: `${folder}/report.html#${requirementId(id)}`,
        };
      }),
    }));
}

function countCells(cells: readonly (MatrixCell | undefined)[]): MatrixReport['versions'][number]['scenarios'] {
  const of = (verdict: CellVerdict): number => cells.filter((cell) => cell?.verdict === verdict).length;
  return { passed: of('pass'), failed: of('fail'), unknown: of('unknown'), notRun: of('not-run'), missing: of('missing') };
}

type Rows = Pick<MatrixReport, 'scenarios' | 'requirements' | 'confidence'>;

/** What changed from a version to the next one. */
function upgradeOf(from: number, compared: TargetComparison, rows: Rows): Upgrade {
  const requirements = rows.requirements.flatMap((one) => requirementChange(one, from, rows.scenarios) ?? []);
  const scenarios = rows.scenarios.flatMap((one) => scenarioChange(one, from, rows) ?? []);
  const measurements = measurementChanges(compared);
  const risk = riskOf({ requirements, scenarios, measurements });
  const order = (kind: ScenarioChangeKind): number => SCENARIO_CHANGES.indexOf(kind);
  return {
    from,
    to: from + 1,
    risk,
    requirements: requirements.sort((a, b) => Number(b.kind === 'broken') - Number(a.kind === 'broken')),
    // Stable: within a kind, those of the core profile are first.
    scenarios: scenarios.sort((a, b) => order(a.kind) - order(b.kind)),
    measurements,
    compared: compared.compared.trials,
  };
}

/**
 * Undefined if nothing changed, or no scenario shows it: a requirement is not broken anew by scenarios without a verdict before, and
 * does not hold if one that broke it has no verdict any more.
 */
function requirementChange(
  { id, level, title, cells }: MatrixRequirement,
  from: number,
  scenarios: readonly MatrixScenario[],
): RequirementChange | undefined {
  const [before, after] = [cells[from], cells[from + 1]];
  const judgedIn = (version: number, scenario: string): boolean => {
    const cell = scenarios.find((one) => one.id === scenario)?.cells[version];
    return cell !== undefined && isJudged(cell);
  };
  const change = { requirement: id, level, title };
  if (before?.verdict === 'pass' && after?.verdict === 'fail') {
    const shownBy = after.breachedBy.filter((scenario) => judgedIn(from, scenario));
    return shownBy.length === 0 ? undefined : { ...change, kind: 'broken', scenarios: shownBy };
  }
  if (before?.verdict === 'fail' && after?.verdict === 'pass') {
    const isShown = before.breachedBy.every((scenario) => judgedIn(from + 1, scenario));
    return isShown ? { ...change, kind: 'holds', scenarios: before.breachedBy } : undefined;
  }
  return undefined;
}

function scenarioChange(scenario: MatrixScenario, from: number, { requirements, confidence }: Rows): ScenarioChange | undefined {
  const [before, after] = [scenario.cells[from], scenario.cells[from + 1]];
  if (before === undefined || after === undefined || before.verdict === 'missing' || after.verdict === 'missing') return undefined;
  const newKinds = kindsOnlyIn(after, before);
  const kind = kindOf(before, after, { isNew: newKinds.length > 0, alpha: 1 - confidence });
  if (kind === undefined) return undefined;
  return {
    scenario: scenario.id,
    kind,
    before: before.verdict,
    after: after.verdict,
    breaches: requirements
      .filter(({ cells }) => breaks(cells[from + 1], scenario.id) && !breaks(cells[from], scenario.id))
      .map(({ id }) => id),
    findings: kind === 'passes' ? before.findings : kind === 'lost' ? [] : kind === 'fails-more' ? after.findings : newKinds,
    ...defined({ why: after.why }),
  };
}

function breaks(cell: MatrixRequirement['cells'][number] | undefined, scenario: string): boolean {
  return cell?.breachedBy.includes(scenario) === true;
}

/** Undefined if nothing changed, or only a verdict came that is a pass. */
function kindOf(
  before: MatrixCell,
  after: MatrixCell,
  { isNew, alpha }: { readonly isNew: boolean; readonly alpha: number },
): ScenarioChangeKind | undefined {
  const had = isJudged(before);
  if (after.verdict === 'fail') {
    if (before.verdict === 'pass') return 'fails';
    if (!had) return 'fails-unseen';
    if (isNew) return 'new-finding';
    return failsMore(before, after, alpha) ? 'fails-more' : undefined;
  }
  if (after.verdict === 'pass') return before.verdict === 'fail' ? 'passes' : undefined;
  return had ? 'lost' : undefined;
}

function isJudged({ verdict }: MatrixCell): boolean {
  return verdict === 'pass' || verdict === 'fail';
}

/** Whether the bounds of the shares of failed trials do not overlap. */
function failsMore({ trials: before }: MatrixCell, { trials: after }: MatrixCell, alpha: number): boolean {
  const most = upperSuccessBound(before.failed, before.failed + before.passed, alpha);
  return lowerSuccessBound(after.failed, after.failed + after.passed, alpha) > most;
}

function kindsOnlyIn({ findings }: MatrixCell, other: MatrixCell): MatrixFinding[] {
  const known = new Set(other.findings.map(({ check, code }) => `${check} ${code}`));
  return findings.filter(({ check, code }) => !known.has(`${check} ${code}`));
}

/** Measurements that differ by their bounds, worse ones first. */
function measurementChanges({ sections }: TargetComparison): MeasurementChange[] {
  const rows = sections.flatMap((section) => section.rows).filter(({ title }) => SHOWN_PERCENTILES.test(title));
  const found = rows.flatMap(({ id, title, unit, better, cells: [before, after], changes: [change] }) =>
    before === undefined || after === undefined || change === undefined || change.outcome === 'unclear' || change.within !== undefined
      ? []
      : [{ id, title, unit, better, before, after, change }],
  );
  return found.sort((a, b) => Number(b.change.outcome === 'worse') - Number(a.change.outcome === 'worse'));
}

function riskOf({ requirements, scenarios, measurements }: Pick<Upgrade, 'requirements' | 'scenarios' | 'measurements'>): Risk {
  const broken = requirements.filter(({ kind }) => kind === 'broken');
  const of = (...kinds: ScenarioChangeKind[]): number => scenarios.filter(({ kind }) => kinds.includes(kind)).length;
  const counts = {
    must: broken.filter(({ level }) => level === 'MUST').length,
    should: broken.filter(({ level }) => level === 'SHOULD').length,
    fails: of('fails'),
    findings: of('new-finding', 'fails-more'),
    unseen: of('fails-unseen'),
    lost: of('lost'),
    worse: measurements.filter(({ change }) => change.outcome === 'worse').length,
  };
  const { must, should, fails, findings, unseen, lost, worse } = counts;
  const level = must + should + fails + findings > 0 ? 'fail' : unseen + lost > 0 ? 'unknown' : worse > 0 ? 'worse' : 'none';
  return { level, ...counts };
}

/** The order in which counts decide. */
const RISKS = ['must', 'should', 'fails', 'findings', 'unseen', 'lost', 'worse'] as const satisfies readonly (keyof Risk)[];

/** The riskiest first; of equal ones, the latest. */
function byRisk(a: Upgrade, b: Upgrade): number {
  const count = RISKS.find((name) => a.risk[name] !== b.risk[name]);
  return count === undefined ? b.to - a.to : b.risk[count] - a.risk[count];
}
