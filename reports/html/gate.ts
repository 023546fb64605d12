import { partTrials } from '../../gate/evidence.ts';
import type { TellingTrial } from '../../gate/evidence.ts';
import type { GateOutcome, ScenarioPair, ScenarioTally, Unseen } from '../../gate/outcome.ts';
import type { Criterion } from '../../gate/verdict.ts';
import { formatCount } from '../format.ts';
import {
  ACCEPTED_TITLE,
  ACTION_WORDS,
  GATE_VERDICTS,
  SIDES,
  bundledText,
  comparedText,
  isClean,
  measuredOf,
  partNotes,
  resultOf,
  tallyText,
  totalOf,
  unseenTexts,
  worstFirst,
} from '../gate.ts';
import type { SideName } from '../gate.ts';
import { latencyChart, passChart } from './gate-charts.ts';
import { GATE_STYLE } from './gate-style.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { renderPage } from './page.ts';
import { badge, code } from './parts.ts';
import { sideKey } from './sides.ts';

/** The address of a trial in the report of its run, relative to the page; undefined if there is no such report. */
export type GateLinks = (side: SideName, trial: { readonly scenario: string; readonly seed: number }) => string | undefined;

/** Most trials of the criteria that are shown; gate.json has all. */
const MAX_TRIALS = 50;
/** Most scenarios that are shown with both sides. */
const MAX_PAIRS = 200;

/** report.html of a gate: one self-contained page without scripts. Pure; everything from a run is escaped. */
export function renderGate(outcome: GateOutcome, links: GateLinks): string {
  const { decision, sides, scenarios, unseen, manifests, version } = outcome;
  const word = ACTION_WORDS[decision.action];
  const { cautions, others } = partNotes(outcome);
  const { telling, accepted } = partTrials(decision.criteria);
  return renderPage({
    title: `${word}: ${sides.candidate.target}, scaleproof gate`,
    style: GATE_STYLE,
    skip: { to: 'why', text: 'Skip to the reasons' },
    body: html`<main class="gate">
      ${renderTop(outcome, cautions)}
      <section aria-labelledby="why">
        <h2 id="why">Why</h2>
        <ol class="criteria">
          ${worstFirst(decision.criteria).map(renderCriterion)}
        </ol>
        ${decision.needs.sentences.slice(0, 1).map((text) => html`<p class="stopped muted">${text}</p>`)}
      </section>
      ${renderTrials({ id: 'trials', title: 'Trials of the candidate to look at' }, telling, links)}
      ${renderTrials({ id: 'accepted', title: ACCEPTED_TITLE }, accepted, links)}
      <section aria-labelledby="charts">
        <h2 id="charts">Both sides in figures</h2>
        ${passChart(scenarios)} ${latencyChart(decision)}
      </section>
      ${renderScenarios(scenarios, links)} ${renderUnseen(unseen, manifests)}
      ${
        others.length > 0 &&
        html`<section aria-labelledby="notes">
          <h2 id="notes">Notes</h2>
          <ul>
            ${others.map((text) => html`<li>${text}</li>`)}
          </ul>
        </section>`
      }
      <p class="foot"><span class="muted">Decided by scaleproof ${version}. As data: ${code('gate.json')} beside this page.</span></p>
    </main>`,
  });
}

/** The decision, what was compared, and whether it stopped early. */
function renderTop({ decision, sides, scenarios, stopped }: GateOutcome, cautions: readonly string[]): Markup {
  const look = GATE_VERDICTS[decision.verdict];
  return html`<header class="top ${look}">
    <div class="brand"><span>Scaleproof</span> gate</div>
    <h1>
      ${badge(look, ACTION_WORDS[decision.action])}
      <small>${decision.sentence.replace(/^\w+: /, '').replace(/^./, (first) => first.toUpperCase())}</small>
    </h1>
    <ul class="sides">
      ${SIDES.map((side, index) => {
        const { target, version, directory } = sides[side];
        const warning = bundledText(sides[side]);
        return html`<li>
          <span class="who">${sideKey(index)}${side}</span>
          <strong>${target}</strong>
          <span class="muted">${[version ?? 'version not known', ...(directory === undefined ? [] : [directory])].join(', ')}</span>
          <span>${tallyText(totalOf(scenarios, side))}</span>
          ${warning !== undefined && html`<span class="chip warn">${warning}</span>`}
        </li>`;
      })}
    </ul>
    <p class="stopped muted">
      ${comparedText({ decision })}${stopped !== undefined && ` It stopped after ${stopped.trials.run} of ${formatCount(stopped.trials.planned, 'trial')}, since no further one could change the decision: ${stopped.criteria.join(', ')}.`}
    </p>
    ${cautions.map((text) => html`<p class="caution"><span class="chip warn">${text}</span></p>`)}
  </header>`;
}

function renderCriterion(criterion: Criterion): Markup {
  const { look, word } = resultOf(criterion);
  const { measured, limit } = measuredOf(criterion);
  return html`<li class="${look === 'fail' && 'failed'}">
    <span>${badge(look, word)}</span>
    <h3>${criterion.criterion}</h3>
    <span class="value"><small>measured</small> <span class="measured">${measured}</span></span>
    <span class="value"><small>limit</small> ${limit}</span>
    <p>${criterion.sentence}</p>
  </li>`;
}

function renderTrials(
  { id, title }: { readonly id: string; readonly title: string },
  trials: readonly TellingTrial[],
  links: GateLinks,
): Markup | undefined {
  if (trials.length === 0) return undefined;
  const more = trials.length - MAX_TRIALS;
  return html`<section class="problems" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <ol>
      ${trials.slice(0, MAX_TRIALS).map(({ scenario, seed, replay, said }) => {
        const { look, word } = lookOf(said);
        return html`<li class="problem ${look}">
          <p class="problem-head">
            ${badge(look, word)} ${code(scenario)}
            <span class="muted">seed ${seed}</span> ${linkTo(links('candidate', { scenario, seed }), { scenario, seed })}
          </p>
          <ul class="said">
            ${said.map(({ criterion, verdict, what }) => html`<li><b>${criterion}${verdict === 'pass' && look !== 'not-run' && ' (accepted)'}:</b> ${what}</li>`)}
          </ul>
          ${replay !== '' && html`<code class="line">scaleproof replay ${replay}</code>`}
        </li>`;
      })}
    </ol>
    ${more > 0 && html`<p class="muted">And ${more} more in gate.json.</p>`}
  </section>`;
}

/** A trial's mark. An accepted failure is neither failed nor open. */
function lookOf(said: TellingTrial['said']): { readonly look: 'fail' | 'unknown' | 'not-run'; readonly word: string } {
  if (said.some(({ verdict }) => verdict === 'fail')) return { look: 'fail', word: 'Failed' };
  return said.every(({ verdict }) => verdict === 'pass') ? { look: 'not-run', word: 'Accepted' } : { look: 'unknown', word: 'Open' };
}

function linkTo(href: string | undefined, { scenario, seed }: Parameters<GateLinks>[1]): Markup | undefined {
  return href === undefined ? undefined : html`<a href="${href}">report of ${scenario} seed ${seed}</a>`;
}

function renderScenarios(scenarios: readonly ScenarioPair[], links: GateLinks): Markup {
  const [clean, other] = [scenarios.filter(isClean), scenarios.filter((pair) => !isClean(pair))];
  const more = other.length - MAX_PAIRS;
  return html`<section aria-labelledby="scenarios">
    <h2 id="scenarios">Findings of both sides by scenario</h2>
    ${other.length === 0 && html`<p>Every trial of both sides passed.</p>`}
    <ol class="pairs">
      ${other.slice(0, MAX_PAIRS).map(
        (pair) =>
          html`<li class="pair">
            <h3>${pair.scenario}</h3>
            <div>${SIDES.map((side) => renderTally(side, pair.scenario, pair[side], links))}</div>
          </li>`,
      )}
    </ol>
    ${more > 0 && html`<p class="muted">And ${more} more in gate.json.</p>`}
    ${
      clean.length > 0 &&
      html`<details class="clean">
        <summary>${formatCount(clean.length, 'scenario')} in which every trial of both sides passed</summary>
        <ul class="names">
          ${clean.map(({ scenario }) => html`<li>${scenario}</li>`)}
        </ul>
      </details>`
    }
  </section>`;
}

function renderTally(side: SideName, scenario: string, tally: ScenarioTally, links: GateLinks): Markup {
  const { pass, fail, unknown, findings } = tally;
  const look = fail > 0 ? 'fail' : unknown > 0 ? 'unknown' : pass > 0 ? 'pass' : 'not-run';
  return html`<div>
    <div class="who">${sideKey(SIDES.indexOf(side))}${side} ${badge(look, tallyText(tally))}</div>
    ${
      findings.length > 0 &&
      html`<dl>
        ${findings.map(({ kind, trials, seed, replay, what }, index) => {
          // A trial with several findings is replayed once.
          const isNew = replay !== findings[index - 1]?.replay;
          return html`<dt>${kind} <small>in ${formatCount(trials, 'trial')}</small></dt>
            <dd>
              Seed ${seed}: ${what} ${isNew && linkTo(links(side, { scenario, seed }), { scenario, seed })}
              ${isNew && replay !== '' && html`<code class="line">scaleproof replay ${replay}</code>`}
            </dd>`;
        })}
      </dl>`
    }
    ${fail > 0 && findings.length === 0 && html`<p class="muted">No finding besides waits, which the gate compares itself.</p>`}
  </div>`;
}

/** What the decision says nothing about. */
function renderUnseen(unseen: Unseen, manifests: GateOutcome['manifests']): Markup | undefined {
  const texts = unseenTexts(unseen);
  if (texts.length === 0 && manifests === undefined) return undefined;
  return html`<section aria-labelledby="unseen">
    <h2 id="unseen">What it did not look at</h2>
    ${
      manifests !== undefined &&
      html`<p>${manifests.summary}:</p>
        <ul>
          ${manifests.gaps.map((text) => html`<li>${text}</li>`)}
        </ul>`
    }
    ${texts.length > 0 && html`<p>${texts.join(' ')}</p>`} ${nameList('Requirements', unseen.requirements)}
    ${nameList('Scenarios', unseen.scenarios)}
  </section>`;
}

function nameList(title: string, names: readonly string[]): Markup | undefined {
  if (names.length === 0) return undefined;
  return html`<details class="unseen">
    <summary>${title} (${names.length})</summary>
    <ul class="names">
      ${names.map((name) => html`<li>${name}</li>`)}
    </ul>
  </details>`;
}
