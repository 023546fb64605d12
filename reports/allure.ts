import { createHash } from 'node:crypto';
import { ContentType, LabelName, LinkType, Severity, Stage, Status } from 'allure-js-commons';
import type { Attachment, Label, Link, Parameter, StepResult, TestResult } from 'allure-js-commons';
import type { HistoryEvent } from '../history/events.ts';
import { CRASH_MOMENTS } from '../history/verdict.ts';
import type { NotRun, Verdict } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { ANONYMOUS_TARGET, REDACTED_TARGET } from './anonymous.ts';
import { timeName } from './clock.ts';
import { countsOf, crashTrialsOf, crashVerdicts } from './crash-points.ts';
import { createDescriber, formatEvidence } from './describe-event.ts';
import { formatCount, formatMoment } from './format.ts';
import { markdown } from './github.ts';
import { unservedOf } from './manifests.ts';
import { resultWord } from './profiles.ts';
import type { ReportInput, ReportTrial } from './report-input.ts';
import type { ReportedFinding, RunReport, ScenarioReport, TrialReport } from './run-report.ts';

/** Most trials of a scenario that get their own results, by seed: passed ones, and others. */
const MAX_PASSED = 10;
const MAX_NOT_PASSED = 50;
/** Most seeds of a scenario that are listed as not run. */
const MAX_NOT_RUN = 10;
/** Most findings of a trial that are described, with their part of the history attached. */
const MAX_FINDINGS = 20;
/** Most history lines that are attached to a finding, and most characters of each. */
const MAX_LINES = 100;
const MAX_LINE_LENGTH = 4_000;
/** Most events that are shown in one phase: faults, exits of the target. */
const MAX_SHOWN_EVENTS = 50;
/** Most crash points that are shown as steps: those that did not pass come first. */
const MAX_CRASH_STEPS = 300;

const STATUS: Readonly<Record<Verdict, Status>> = { pass: Status.PASSED, fail: Status.FAILED, unknown: Status.BROKEN };

/** A file in a directory of Allure results. */
export interface AllureFile {
  readonly name: string;
  readonly content: string;
}

/** Options that depend on where the site will be read. */
interface AllureOptions {
  /** The URL of report.html, relative to the site: requirements and scenarios link to it. Without it there are no links. */
  readonly reportUrl?: string | undefined;
}

/** One of Allure's categories, for both versions of Allure. */
interface Category {
  readonly name: string;
  readonly matchedStatuses: readonly Status[];
  readonly messageRegex?: string;
}

/**
 * Results for Allure: one for each trial, scenario and seed. Pure: equal runs give equal bytes, and a scenario with a seed has the same
 * Allure history in every run. Unknown is `broken`; not run is `skipped`, with its reason. Durations are those of the trials' clock,
 * which may be virtual, and follow each other from the start of the run.
 */
export function formatAllure(input: ReportInput, report: RunReport, options: AllureOptions = {}): AllureFile[] {
  const writer = createWriter(input, report, options);
  for (const scenario of report.scenarios) writer.scenario(scenario);
  writer.notRun(report.notRun);
  return [
    ...writer.files(),
    { name: 'environment.properties', content: environmentOf(report, writer.leftOut()) },
    { name: 'categories.json', content: `${JSON.stringify(allureCategories(report), undefined, 2)}\n` },
  ];
}

/** Categories by first finding, then unknown, then not run, in matching order. */
export function allureCategories({ scenarios }: RunReport): Category[] {
  const codes = scenarios.flatMap(({ results }) => results.flatMap((trial) => findingsOf(trial)[0]?.finding.code ?? []));
  return [
    ...[...new Set(codes)].sort().map((code) => ({
      name: `Found: ${code}`,
      matchedStatuses: [Status.FAILED],
      messageRegex: `^${code.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}: [\\s\\S]*`,
    })),
    { name: 'Found at crash points', matchedStatuses: [Status.FAILED], messageRegex: '^crash points: [\\s\\S]*' },
    { name: 'Unknown: could not be judged', matchedStatuses: [Status.BROKEN] },
    { name: 'Not run', matchedStatuses: [Status.SKIPPED] },
  ];
}

interface Writer {
  scenario(scenario: ScenarioReport): void;
  notRun(entries: readonly NotRun[]): void;
  files(): AllureFile[];
  /** Trials without their own result. */
  leftOut(): number;
}

function createWriter(input: ReportInput, report: RunReport, { reportUrl }: AllureOptions): Writer {
  const { run } = report;
  const files = new Map<string, string>();
  const trials = new Map(input.trials.map((trial) => [trial.result.history, trial]));
  const requirements = new Map((report.requirements ?? []).map((requirement) => [requirement.id, requirement]));
  const asked = new Map(run.scenarios.map((scenario) => [scenario.id, scenario]));
  let leftOut = 0;
  // Trials are shown one after the other, even if they ran in parallel, so that Allure lists them in order and none overlaps.
  let atMs = Date.parse(run.startedAt);

  const attach = (name: string, content: string, type: ContentType = ContentType.TEXT): Attachment => {
    const source = `${hash(content)}-attachment.${type === ContentType.JSON ? 'json' : 'txt'}`;
    files.set(source, content);
    return { name, type, source };
  };
  const labelsOf = (id: string, suite: string): Label[] => {
    const { profile = 'core', requirements: ids = [] } = asked.get(id) ?? {};
    const tested = ids.flatMap((one) => requirements.get(one) ?? []);
    const areas = [...new Set(tested.map(({ area }) => area))];
    return [
      { name: LabelName.SUITE, value: suite },
      { name: LabelName.EPIC, value: `profile ${profile}` },
      ...(areas.length === 0 ? [suite] : areas).map((value) => ({ name: LabelName.FEATURE, value })),
      ...(ids.length === 0 ? [id] : ids).map((value) => ({ name: LabelName.STORY, value })),
      { name: LabelName.SEVERITY, value: tested.some(({ level }) => level === 'MUST') ? Severity.CRITICAL : Severity.NORMAL },
      { name: LabelName.LAYER, value: `${run.world.name} world` },
      { name: LabelName.PACKAGE, value: id.replaceAll('/', '.') },
      { name: LabelName.FRAMEWORK, value: 'scaleproof' },
      { name: LabelName.TAG, value: profile },
    ];
  };
  const linksOf = (id: string): Link[] =>
    reportUrl === undefined
      ? []
      : (asked.get(id)?.requirements ?? []).map((name) => ({
          name,
          url: requirements.has(name) ? `${reportUrl}#requirement-${name}` : reportUrl,
          type: LinkType.TMS,
        }));
  const describe = (id: string, title: string): string => {
    const tested = (asked.get(id)?.requirements ?? []).flatMap((one) => requirements.get(one) ?? []);
    return [
      markdown(title),
      `Target: ${markdown(run.target.name)}, in the ${markdown(run.world.name)} world. Durations are ${timeName(run)}; trials are shown one after the other from the start of the run, even if they ran in parallel.`,
      ...(run.target.name === ANONYMOUS_TARGET ? [`Names of targets are redacted: replay lines have \`${REDACTED_TARGET}\` instead.`] : []),
      ...(tested.length === 0 ? [] : [tested.map((one) => `- ${markdown(`${one.id} (${one.level}): ${one.title}`)}`).join('\n')]),
    ].join('\n\n');
  };
  const write = (
    name: string,
    { id, title, suite }: { readonly id: string; readonly title: string; readonly suite: string },
    rest: Pick<TestResult, 'status' | 'statusDetails' | 'steps' | 'attachments'> & {
      readonly durationMs?: number;
      readonly parameters?: Parameter[];
      readonly tags?: readonly string[];
    },
  ): void => {
    const { durationMs = 0, parameters = [], tags = [], ...own } = rest;
    const uuid = uuidOf(`${run.id} ${run.startedAt} ${name}`);
    const result: TestResult = {
      uuid,
      // The target is not part of it: a history is for versions of one target, chosen by its owner.
      historyId: hash(name),
      testCaseId: hash(id),
      fullName: name,
      name,
      titlePath: ['scaleproof', suite],
      description: describe(id, title),
      stage: Stage.FINISHED,
      labels: [...labelsOf(id, suite), ...tags.map((value) => ({ name: LabelName.TAG, value }))],
      links: linksOf(id),
      parameters,
      ...own,
      start: atMs,
      stop: atMs + durationMs,
    };
    atMs += durationMs;
    files.set(`${uuid}-result.json`, `${JSON.stringify(result, undefined, 2)}\n`);
  };

  const writeTrial = (scenario: ScenarioReport, report_: TrialReport): void => {
    const trial = trials.get(report_.history);
    const events = trial?.events ?? [];
    const found = findingsOf(report_);
    const unknown = report_.checks.filter(({ verdict }) => verdict === 'unknown');
    write(`${scenario.id} seed ${report_.seed}`, scenario, {
      status: STATUS[report_.verdict],
      statusDetails: detailsOf(report_),
      steps: [...phaseSteps(events, atMs, report_), checkStep(report_, atMs + report_.virtualMs)],
      attachments: [
        attach('replay line', `scaleproof replay ${report_.replay}\n`),
        ...found
          .slice(0, MAX_FINDINGS)
          .map(({ finding }) => attach(`history: ${finding.code} ${finding.object}`, excerptOf(finding, trial, events))),
        ...(unknown.length === 0
          ? []
          : [attach('why it is unknown', unknown.map(({ check, summary }) => `${check}: ${summary}\n`).join(''))]),
      ],
      durationMs: report_.virtualMs,
      parameters: [{ name: 'seed', value: String(report_.seed) }],
      tags: [...new Set(found.map(({ finding }) => finding.code))],
    });
  };

  return {
    scenario(scenario) {
      const passed = scenario.results.filter(({ verdict }) => verdict === 'pass');
      const others = scenario.results.filter(({ verdict }) => verdict !== 'pass');
      const shown = new Set([...passed.slice(0, MAX_PASSED), ...others.slice(0, MAX_NOT_PASSED)]);
      leftOut += scenario.results.length - shown.size;
      for (const trial of scenario.results) if (shown.has(trial)) writeTrial(scenario, trial);
      const { notBegun } = scenario.trials;
      if (notBegun > 0) {
        const message = `UNKNOWN: ${formatCount(notBegun, 'trial')} never started`;
        write(`${scenario.id} not started`, scenario, { status: Status.BROKEN, statusDetails: { message }, steps: [], attachments: [] });
      }
      const { crashPoints } = scenario;
      const verdict = crashPoints === undefined ? undefined : crashVerdicts(crashPoints)[0];
      if (crashPoints === undefined || verdict === undefined) return;
      const rows = crashPoints.points.flatMap((point) =>
        CRASH_MOMENTS.flatMap((moment) => {
          const trial = point[moment];
          const what = moment === 'upgrade' ? 'upgraded at' : `killed ${moment}`;
          return trial === undefined ? [] : { name: `${what} side effect ${point.nth}, ${point.operation}`, trial };
        }),
      );
      const sorted = [...rows.filter(({ trial }) => trial.verdict !== 'pass'), ...rows.filter(({ trial }) => trial.verdict === 'pass')];
      const bad = crashPoints.points.flatMap((point) =>
        crashTrialsOf(point)
          .filter((trial) => trial.verdict !== 'pass')
          .map(
            ({ code = 'unknown', why = '', replay }) =>
              `${point.operation} (number ${point.nth}): ${code} ${why}\nscaleproof replay ${replay}\n`,
          ),
      );
      write(`${scenario.id} crash points`, scenario, {
        status: STATUS[verdict],
        statusDetails:
          verdict === 'pass' ? {} : { message: `crash points: ${countsOf(crashPoints)}`, trace: bad.slice(0, MAX_FINDINGS).join('\n') },
        steps: [
          ...sorted
            .slice(0, MAX_CRASH_STEPS)
            .map(({ name, trial: { verdict: own, why } }) =>
              stepOf(name, { status: STATUS[own], startMs: atMs, stopMs: atMs, message: why }),
            ),
          ...(sorted.length > MAX_CRASH_STEPS
            ? [stepOf(`and ${sorted.length - MAX_CRASH_STEPS} more`, { status: Status.PASSED, startMs: atMs, stopMs: atMs })]
            : []),
        ],
        attachments: bad.length === 0 ? [] : [attach('crash points that did not pass', bad.join('\n'))],
      });
    },
    notRun(entries) {
      const counts = new Map<string, number>();
      for (const { scenario, title, suite, seed, reason } of entries) {
        const count = (counts.get(scenario) ?? 0) + 1;
        counts.set(scenario, count);
        if (count > MAX_NOT_RUN) {
          leftOut += 1;
          continue;
        }
        write(
          `${scenario} seed ${seed}`,
          { id: scenario, title, suite },
          {
            status: Status.SKIPPED,
            statusDetails: { message: `not run: ${reason}` },
            steps: [],
            attachments: [],
            parameters: [{ name: 'seed', value: String(seed) }],
          },
        );
      }
    },
    files: () => [...files].map(([name, content]) => ({ name, content })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    leftOut: () => leftOut,
  };
}

function findingsOf({ checks }: TrialReport): { readonly check: string; readonly finding: ReportedFinding }[] {
  return checks.flatMap(({ check, findings }) => findings.map((finding) => ({ check, finding })));
}

function detailsOf(trial: TrialReport): TestResult['statusDetails'] {
  if (trial.verdict === 'pass') return {};
  const replay = `scaleproof replay ${trial.replay}`;
  const unknown = trial.checks.filter(({ verdict }) => verdict === 'unknown').map(({ check, summary }) => `${check}: ${summary}`);
  if (trial.verdict === 'unknown')
    return { message: `UNKNOWN: ${unknown[0] ?? 'nothing was judged'}`, trace: [...unknown, replay].join('\n\n') };
  const found = findingsOf(trial);
  const [first] = found;
  const more = found.length > 1 ? ` (and ${formatCount(found.length - 1, 'more finding')})` : '';
  const described = found
    .slice(0, MAX_FINDINGS)
    .map(({ check, finding }) =>
      [
        `${finding.code} (${check}) ${finding.object}`,
        finding.message,
        ...finding.evidence.map((event) => `  ${formatEvidence(event)}`),
      ].join('\n'),
    );
  return {
    message: first === undefined ? 'fail' : `${first.finding.code}: ${first.finding.message}${more}`,
    trace: [...described, ...unknown.map((line) => `UNKNOWN ${line}`), replay].join('\n\n'),
  };
}

/** The evidence for a finding: a description and the original lines of the history. */
function excerptOf(finding: ReportedFinding, trial: ReportTrial | undefined, events: readonly HistoryEvent[]): string {
  const lines = finding.events.slice(0, MAX_LINES).flatMap((index) => {
    const event = events[index];
    if (event === undefined) return [];
    const line = JSON.stringify(event);
    return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}… (cut)` : line;
  });
  const more = finding.events.length > MAX_LINES ? [`and ${finding.events.length - MAX_LINES} more`] : [];
  return [
    finding.message,
    '',
    ...finding.evidence.map(formatEvidence),
    '',
    `${trial?.result.history ?? 'The history'}, the lines that show it:`,
    ...lines,
    ...more,
    '',
  ].join('\n');
}

const PHASE_NAMES: Readonly<Record<string, string>> = {
  'set-up': 'set up: the world and the target start',
  act: 'act: the scenario acts, faults are injected',
  heal: 'heal: every fault is healed',
  settle: 'settle: the world has to converge',
  remove: 'remove: workloads and pools go, and everything made for them must',
};
/** Events that are shown in a phase. */
const SHOWN_EVENTS: readonly HistoryEvent['type'][] = [
  'fault.armed',
  'fault.healed',
  'target.exit',
  'target.panic',
  'convergence',
  'harness.error',
  'supervisor',
];

/** The phases of a trial as steps. A phase has no verdict, but one in which the history is truncated is `broken`. */
function phaseSteps(events: readonly HistoryEvent[], startMs: number, { truncated, virtualMs }: TrialReport): StepResult[] {
  const begun = events.filter((event) => event.type === 'phase');
  const isOver = begun.some(({ phase }) => phase === 'over');
  const describe = createDescriber(events);
  return begun.flatMap((event, index) => {
    if (event.phase === 'over') return [];
    const next = begun[index + 1];
    const endMs = next?.t ?? virtualMs;
    const happened = events.slice(event.i + 1, next?.i).filter(({ type }) => SHOWN_EVENTS.includes(type));
    const isBroken = next === undefined && (truncated || !isOver);
    const steps = happened.slice(0, MAX_SHOWN_EVENTS).map((one) => {
      const at = startMs + one.t;
      return stepOf(`${formatMoment(one.t)} ${describe(one).what}`, { status: Status.PASSED, startMs: at, stopMs: at });
    });
    const more = happened.length > MAX_SHOWN_EVENTS ? [`and ${happened.length - MAX_SHOWN_EVENTS} more`] : [];
    return stepOf(PHASE_NAMES[event.phase] ?? event.phase, {
      status: isBroken ? Status.BROKEN : Status.PASSED,
      startMs: startMs + event.t,
      stopMs: startMs + endMs,
      steps: [...steps, ...more.map((name) => stepOf(name, { status: Status.PASSED, startMs: startMs + endMs, stopMs: startMs + endMs }))],
    });
  });
}

/** The results of the checks at the end of the trial. */
function checkStep({ verdict, checks }: TrialReport, atMs: number): StepResult {
  return stepOf('checks: the history is judged', {
    status: STATUS[verdict],
    startMs: atMs,
    stopMs: atMs,
    steps: checks.map(({ check, verdict: own, summary, findings }) =>
      stepOf(`${check}: ${summary}`, {
        status: STATUS[own],
        startMs: atMs,
        stopMs: atMs,
        steps: findings
          .slice(0, MAX_FINDINGS)
          .map((finding) =>
            stepOf(`${finding.code}: ${finding.object}`, { status: Status.FAILED, startMs: atMs, stopMs: atMs, message: finding.message }),
          ),
      }),
    ),
  });
}

function stepOf(
  name: string,
  {
    status,
    startMs,
    stopMs,
    steps = [],
    message,
  }: {
    readonly status: Status;
    readonly startMs: number;
    readonly stopMs: number;
    readonly steps?: StepResult[];
    readonly message?: string | undefined;
  },
): StepResult {
  return {
    name,
    status,
    statusDetails: defined({ message }),
    stage: Stage.FINISHED,
    steps,
    attachments: [],
    parameters: [],
    start: startMs,
    stop: stopMs,
  };
}

function environmentOf({ run, verdict, profiles }: RunReport, leftOut: number): string {
  const seeds = run.trials > 1 ? `${run.seed} to ${run.seed + run.trials - 1}` : String(run.seed);
  const unserved = unservedOf(run.manifests);
  const facts: readonly (readonly [string, string])[] = [
    ['Target', run.target.name],
    ['World', run.world.name],
    ['Verdict', verdict],
    ['Profiles', profiles.map((profile) => `${profile.name}: ${resultWord(profile)}`).join(', ')],
    ...(unserved === undefined ? [] : [['Not shown to be served', `${unserved.summary}: ${unserved.gaps.join('; ')}`] as const]),
    ['Seeds', seeds],
    ['Durations', timeName(run)],
    ['Scaleproof', run.versions.scaleproof],
    ['Node', run.versions.node],
    ['Run', run.id],
    ['Instance types', run.digests.catalogue],
    ['Prices', run.digests.prices],
    ...(leftOut === 0
      ? []
      : [['Left out', `${formatCount(leftOut, 'trial')} without their own result; report.json has all of them`] as const]),
  ];
  return facts.map(([name, value]) => `${escapeProperty(name, true)}=${escapeProperty(value, false)}\n`).join('');
}

/** Escapes for Java Properties: ASCII only, and nothing that ends a key or a line. */
function escapeProperty(text: string, isKey: boolean): string {
  const safe = text.replaceAll('\\', '\\\\').replaceAll(isKey ? /[ =:#!]/g : /^[ #!]/g, '\\$&');
  return safe.replaceAll(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** 32 hexadecimal digits, like Allure's ids. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** An id in the form of a UUID of version 8, which is meant for custom content such as digests. */
function uuidOf(text: string): string {
  const digits = hash(text);
  return [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}
