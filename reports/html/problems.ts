import type { Verdict } from '../../history/verdict.ts';
import { countsOf, crashVerdicts } from '../crash-points.ts';
import { formatCount } from '../format.ts';
import type { RunReport, ScenarioReport } from '../run-report.ts';
import { groupFindings } from './groups.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge, code } from './parts.ts';
import { crashPointsId, scenarioId, shownTrials, trialId } from './scenario.ts';

/** Most seeds that are named; more are counted. */
const MAX_SEEDS_NAMED = 8;
/** Messages of one kind differ only in names and numbers, so they share at least this part of their words. */
const SIMILAR_RATIO = 0.6;

/** What went wrong in one scenario, in one way. */
interface Problem {
  readonly verdict: Verdict;
  /** Problems of one kind share a card. */
  readonly kind: string;
  /** The code of its findings, if there is one. */
  readonly code?: string;
  readonly check?: string;
  readonly message: string;
  readonly scenario: { readonly id: string; readonly place: string };
  /** The trials with this problem. */
  readonly trials?: Markup;
}

/** What went wrong, with a card for each kind: the kind in most scenarios comes first. */
export function renderProblems(report: RunReport): Markup {
  const kinds = new Map<string, [Problem, ...Problem[]]>();
  for (const problem of report.scenarios.flatMap((scenario, index) => problemsOf(scenario, index))) {
    const key = keyOf(problem);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, [problem]);
    else known.push(problem);
  }
  if (kinds.size === 0) return html``;
  const sorted = [...kinds.values()].sort(
    ([a, ...x], [b, ...y]) => Number(b.verdict === 'fail') - Number(a.verdict === 'fail') || y.length - x.length,
  );
  return html`<section class="problems" aria-labelledby="problems">
    <h2 id="problems">What went wrong</h2>
    <ol>
      ${sorted.map(renderKind)}
    </ol>
  </section>`;
}

/** The key of a card. */
function keyOf({ verdict, check, kind }: Pick<Problem, 'verdict' | 'check' | 'kind'>): string {
  return JSON.stringify([verdict, check, kind]);
}

function renderKind([first, ...others]: readonly [Problem, ...Problem[]]): Markup {
  const { verdict, code: name, check, message, scenario, trials } = first;
  const facts = [...(check === undefined ? [] : [html`Check ${check}`]), ...(trials === undefined ? [] : [trials])];
  return html`<li class="problem ${verdict}">
    <p class="problem-head">
      ${badge(verdict)} ${name !== undefined && code(name)} <a href="#${scenario.place}">${scenario.id}</a>
      ${others.length > 0 && html`<span class="muted">and ${formatCount(others.length, 'more scenario')}</span>`}
    </p>
    <p>${message}</p>
    ${facts.length > 0 && html`<p class="muted">${facts.map((fact, at) => html`${at > 0 && ', '}${fact}`)}</p>`}
    ${
      others.length > 0 &&
      html`<p class="muted">Also in:</p>
        <ul class="muted">
          ${others.map((other) => html`<li>${renderOther(other, first)}</li>`)}
        </ul>`
    }
  </li>`;
}

/** With its message, if it differs from that of the first problem. */
function renderOther({ scenario, trials, message }: Problem, first: Problem): Markup {
  return html`<a href="#${scenario.place}">${scenario.id}</a
    >${trials !== undefined && html`, ${trials}`}${!areSimilar(message, first.message) && html`. ${message}`}`;
}

function areSimilar(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared >= SIMILAR_RATIO * (a.size + b.size - shared);
}

/** Its words, except those with a digit or a slash. */
function wordsOf(message: string): Set<string> {
  return new Set(message.split(/\s+/).filter((word) => !/[\d/]/.test(word)));
}

function problemsOf(scenario: ScenarioReport, index: number): Problem[] {
  const kinds = new Map<string, { problem: Omit<Problem, 'scenario' | 'trials'>; seeds: number[] }>();
  const add = (problem: Omit<Problem, 'scenario' | 'trials'>, seed: number): void => {
    const key = keyOf(problem);
    const known = kinds.get(key);
    if (known === undefined) kinds.set(key, { problem, seeds: [seed] });
    else known.seeds.push(seed);
  };
  for (const trial of scenario.results) {
    for (const { check, code: name, findings } of groupFindings(trial)) {
      const first = findings[0]?.message ?? '';
      const more = findings.length > 1 ? ` And ${findings.length - 1} more like it.` : '';
      add({ verdict: 'fail', kind: name, code: name, check, message: first + more }, trial.seed);
    }
    // Even if something failed: a fault that never fired may explain it.
    for (const { check, summary } of trial.checks.filter(({ verdict }) => verdict === 'unknown'))
      add({ verdict: 'unknown', kind: [...wordsOf(summary)].join(' '), check, message: `${summary}.` }, trial.seed);
  }
  const shown = new Set(shownTrials(scenario).map(({ seed }) => seed));
  const at = { id: scenario.id, place: scenarioId(index) };
  const problems = [...kinds.values()].map(({ problem, seeds }): Problem => {
    const named = seeds
      .slice(0, MAX_SEEDS_NAMED)
      .map(
        (seed, place) =>
          html`${place > 0 && ', '}${shown.has(seed) ? html`<a href="#${trialId(index, seed)}">seed ${seed}</a>` : `seed ${seed}`}`,
      );
    const more = seeds.length > MAX_SEEDS_NAMED && ` and ${seeds.length - MAX_SEEDS_NAMED} more`;
    return { ...problem, scenario: at, trials: html`${seeds.length} of ${formatCount(scenario.results.length, 'trial')}: ${named}${more}` };
  });
  return [...problems, ...missingProblem(scenario, at), ...crashProblem(scenario, index)];
}

function missingProblem({ trials: { notBegun } }: ScenarioReport, scenario: Problem['scenario']): Problem[] {
  if (notBegun === 0) return [];
  const trials = html`${formatCount(notBegun, 'trial')}`;
  return [{ verdict: 'unknown', kind: 'not-begun', message: 'Trials never started.', scenario, trials }];
}

/** Crash points that did not pass, as one problem. */
function crashProblem({ id, crashPoints }: ScenarioReport, index: number): Problem[] {
  if (crashPoints === undefined) return [];
  const [verdict] = crashVerdicts(crashPoints).filter((one) => one !== 'pass');
  if (verdict === undefined) return [];
  const message = 'Killed at its side effects, one trial each.';
  const trials = html`${countsOf(crashPoints)}`;
  return [{ verdict, kind: 'crash-points', message, scenario: { id, place: crashPointsId(index) }, trials }];
}
