import type { NotRun } from '../../history/verdict.ts';
import { CONFIDENCE, lowerSuccessBound } from '../../history/confidence.ts';
import { WHOLE_PHASES } from '../../history/latency.ts';
import { isBroken } from '../broken.ts';
import { isVirtual, timeName } from '../clock.ts';
import { formatCount, formatDuration, formatLimit, formatPercent, formatRatio } from '../format.ts';
import { formatList } from '../../model/format-list.ts';
import { describeGap, describeGaps } from '../manifests.ts';
import { PROFILE_WORDS, byProfile, profileCounts, unrequestedProfiles } from '../profiles.ts';
import { sourceOf } from '../program.ts';
import type { ProgramFacts } from '../report-input.ts';
import type { RequirementReport, RunReport, ScenarioReport } from '../run-report.ts';
import { EVENT_BUDGET } from './budget.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { badge, code, resultBadge, servedText } from './parts.ts';
import { scenarioId } from './scenario.ts';

/** Most scenarios that are named at a bound that they broke. */
const MAX_BROKEN_NAMED = 5;

/** The top of the page: the verdict in a sentence, the target, and the key figures. */
export function renderHeader(report: RunReport): Markup {
  const { run, totals, verdict } = report;
  const seeds = run.trials > 1 ? `seeds ${run.seed} to ${run.seed + run.trials - 1}` : `seed ${run.seed}`;
  const { instances, faults, scenarios, trials } = totals;
  const done = trials.passed + trials.failed + trials.unknown;
  return html`<header class="top ${verdict}">
    <div class="brand"><span>Scaleproof</span> conformance report</div>
    <h1>${badge(verdict)} <span>${headline(report)}</span></h1>
    <p class="context">
      Target <strong>${run.target.name}</strong>, ${versionOf(report)}, in the <strong>${run.world.name}</strong> world, ${seeds},
      ${run.startedAt.slice(0, 16).replace('T', ' ')} UTC, judged by scaleproof ${run.versions.scaleproof}, run ${run.id}
    </p>
    <div class="tiles">
      ${tile('Scenarios', verdictCounts(scenarios), { isBad: scenarios.failed > 0, isWide: report.requirements === undefined })}
      ${requirementTile(report)} ${episodeTile(report)}
      ${tile('Leaked instances', html`<strong>${instances.leaked}</strong><span>of ${formatCount(instances.created, 'instance')}, ${instances.live} still live</span>`, { isBad: instances.leaked > 0 })}
      ${tile('Faults fired', html`<strong>${faults.fired}</strong><span>of ${faults.armed} armed</span>`)}
      ${tile('Trials', html`<strong>${done}</strong><span>${formatCount(totals.interleavings, 'distinct interleaving')}</span>${crashTile(totals.crashPoints)}`)}
      ${tile(isVirtual(run) ? 'Virtual time' : 'Real time', html`<strong>${formatDuration(run.virtualMs)}</strong><span>${run.wallMs === undefined ? 'wall time not known' : `in ${formatDuration(run.wallMs)}`}${run.ratio !== undefined && `, ${formatRatio(run.ratio)}`}</span>`)}
    </div>
    ${renderGaps(report)}
    <ul class="profiles" aria-label="Profiles, over the requested scenarios">
      ${report.profiles.map(
        (profile) =>
          html`<li>${resultBadge(profile)}<strong>${profile.name}</strong><span class="muted">${profileCounts(profile)}</span></li>`,
      )}
    </ul>
    ${unrequestedProfiles(report).map((text) => html`<p class="unrequested muted">${text}</p>`)}
  </header>`;
}

/** A compiled program has its own version, a user's target the digest of its file, a bundled target the version of Scaleproof. */
function versionOf({ run: { target, versions } }: RunReport): Markup {
  if (target.program !== undefined) return html`version ${target.program.version}, built from ${sourceOf(target.program)}`;
  return target.digest === undefined
    ? html`version ${versions.scaleproof}`
    : html`version <span title="SHA-256 of its file: ${target.digest}">${code(target.digest.slice(0, 12))}</span>`;
}

/** MUST and SHOULD separately: how many are met, not met, and not tested by this run. */
function requirementTile({ requirements }: RunReport): Markup {
  if (requirements === undefined) return html``;
  const counts = requirementCounts(requirements);
  const content = counts.map(
    ({ level, met, broken, unknown, untested }, index) =>
      html`${index === 0 ? html`<strong>${met}<small> of ${met + broken + unknown} ${level} met</small></strong>` : html`<span class="level"><b>${met}</b> of ${met + broken + unknown} ${level} met</span>`}<span
          >${broken} not met, ${unknown > 0 && `${unknown} unknown, `}${untested} not tested</span
        >`,
  );
  return tile('Requirements', html`${content}`, { isBad: counts.some(({ broken }) => broken > 0) });
}

interface RequirementCounts {
  readonly level: 'MUST' | 'SHOULD';
  readonly met: number;
  readonly broken: number;
  readonly unknown: number;
  readonly untested: number;
}

/** Results for the whole specification, by level. */
function requirementCounts(requirements: readonly RequirementReport[]): RequirementCounts[] {
  return (['MUST', 'SHOULD'] as const)
    .map((level) => {
      const own = requirements.filter((one) => one.level === level);
      const count = (verdict: RequirementReport['verdict']): number => own.filter((one) => isTested(one) && one.verdict === verdict).length;
      const [met, broken, unknown] = [count('pass'), count('fail'), count('unknown')];
      return { level, met, broken, unknown, untested: own.length - met - broken - unknown };
    })
    .filter(({ met, broken, unknown, untested }) => met + broken + unknown + untested > 0);
}

function isTested({ scenarios }: RequirementReport): boolean {
  return scenarios.length > 0;
}

/**
 * Pods of a trial share its instances, faults and luck, so trials are counted: one is served if all its pods were in time. The limit is
 * exact for independent episodes.
 */
function episodeTile({ scenarios, totals: { success } }: RunReport): Markup {
  const episodes = scenarios.flatMap(({ results }) => results).filter((trial) => trial.success.asked > 0);
  const served = episodes.filter((trial) => trial.success.served === trial.success.asked).length;
  if (episodes.length === 0)
    return tile('Pods served in time', html`<strong>–</strong><span>no pod had to be served</span>`, { isWide: true });
  const limit = lowerSuccessBound(served, episodes.length, 1 - CONFIDENCE);
  const content = html`<strong>${formatPercent(success.served / success.asked)}</strong>
    <span
      >${success.served} of ${formatCount(success.asked, 'pod')}; ${served} of ${formatCount(episodes.length, 'episode')} served in
      full:</span
    >
    <span title="Clopper-Pearson, one-sided. An episode is a trial in which pods had to be served; pods inside one are not independent."
      >at least ${(Math.floor(limit * 1000) / 10).toFixed(1)} % of episodes with ${CONFIDENCE * 100} % confidence, exact</span
    >`;
  return tile('Pods served in time', content, { isBad: served < episodes.length, isWide: true });
}

function crashTile(crashed: RunReport['totals']['crashPoints']): Markup | undefined {
  if (crashed === undefined) return undefined;
  const { passed, failed, unknown } = crashed;
  if (passed + failed + unknown === 0) return undefined;
  return html`<span>${passed} of ${formatCount(passed + failed + unknown, 'crash point')} passed</span>`;
}

function headline(report: RunReport): string {
  const { totals, run } = report;
  const { failed, unknown, passed } = totals.scenarios;
  const all = failed + unknown + passed;
  if (all === 0) return 'Nothing was run, so there is no verdict';
  const gaps = run.manifests && describeGaps(run.manifests);
  return `${ofScenarios(report)}${gaps === undefined ? '' : `, but ${gaps}`}`;
}

/** With `--strict` a run may fail although no scenario did. */
function ofScenarios({ totals: { scenarios }, run }: RunReport): string {
  const { failed, unknown, passed } = scenarios;
  const all = failed + unknown + passed;
  const counted = formatCount(all, 'scenario');
  if (failed > 0) return `${run.target.name} failed ${failed} of ${counted}`;
  return unknown > 0
    ? `${unknown} of ${counted} could not be judged`
    : `${run.target.name} passed ${all === 1 ? 'its scenario' : `all ${counted}`}`;
}

/** The user's workloads that no trial shows to be served. */
function renderGaps({ run: { manifests } }: RunReport): Markup | undefined {
  if (manifests === undefined || manifests.gaps.length === 0) return undefined;
  const { gaps, strict } = manifests;
  return html`<section class="gaps">
    <h2>Workloads that are not shown to be served</h2>
    <ul>
      ${gaps.map((gap) => html`<li>${describeGap(gap)} <span class="muted">(${gap.where})</span></li>`)}
    </ul>
    ${strict ? html`<p>With <code>--strict</code> they decide the verdict.</p>` : html`<p>They don't count in the verdict; with <code>--strict</code> they do.</p>`}
  </section>`;
}

function verdictCounts({ passed, failed, unknown, notRun }: RunReport['totals']['scenarios']): Markup {
  const all = passed + failed + unknown + notRun;
  const segments = [
    { name: 'pass', count: passed },
    { name: 'fail', count: failed },
    { name: 'unknown', count: unknown },
    { name: 'not-run', count: notRun },
  ].filter(({ count }) => count > 0);
  const bar = segments.reduce<{ readonly drawn: readonly Markup[]; readonly x: number }>(
    ({ drawn, x }, { name, count }) => ({
      drawn: [...drawn, html`<rect class="segment ${name}" x="${x}%" width="${(count / all) * 100}%" height="8" />`],
      x: x + (count / all) * 100,
    }),
    { drawn: [], x: 0 },
  );
  return html`<strong>${passed}<small> of ${passed + failed + unknown} passed</small></strong
    ><svg class="share" width="100%" height="8" aria-hidden="true">${bar.drawn}</svg
    ><span
      >${formatList([...(failed > 0 ? [`${failed} failed`] : []), ...(unknown > 0 ? [`${unknown} unknown`] : []), ...(notRun > 0 ? [`${notRun} not run`] : [])])}</span
    >`;
}

function tile(name: string, content: Markup, { isBad = false, isWide = false }: { isBad?: boolean; isWide?: boolean } = {}): Markup {
  return html`<div class="tile${isWide && ' wide'}${isBad && ' bad'}">
    <h2>${name}</h2>
    ${content}
  </div>`;
}

/** Every scenario in a row, by profile, failures first. */
export function renderTable(report: RunReport): Markup {
  const profileOf = new Map(report.run.scenarios.map(({ id, profile }) => [id, profile]));
  const skipped = new Map(report.notRun.map((one) => [one.scenario, one]));
  const rows = byProfile(report, [
    ...report.scenarios.map((scenario, index) => {
      const { profile, verdict } = scenario;
      return { profile, verdict, row: scenarioRow(scenario, index) };
    }),
    ...[...skipped.values()].flatMap((one) => {
      const profile = profileOf.get(one.scenario);
      return profile === undefined ? [] : { profile, verdict: 'not-run' as const, row: notRunRow(one) };
    }),
  ]);
  return html`<section aria-labelledby="scenarios">
    <h2 id="scenarios">Scenarios</h2>
    <div class="table-wrap">
      <table class="data scenarios">
        <thead>
          <tr>
            <th scope="col">Scenario</th>
            <th scope="col">Verdict</th>
            <th scope="col" class="num">Trials passed</th>
            <th scope="col" class="num">Pods served</th>
            <th scope="col" class="num">Pending → running<br /><small>p50 / p95 / p99</small></th>
            <th scope="col" class="num">Instances<br /><small>made / ended / live / leaked</small></th>
            <th scope="col" class="num">Faults<br /><small>fired / armed</small></th>
          </tr>
        </thead>
        ${rows.map(
          ({ profile: { name }, parts }) =>
            html`<tbody>
              <tr class="group">
                <th scope="rowgroup" colspan="7"><span>${name}</span><small>${PROFILE_WORDS[name]}</small></th>
              </tr>
              ${parts.map(({ row }) => row)}
            </tbody>`,
        )}
      </table>
    </div>
  </section>`;
}

function scenarioRow(scenario: ScenarioReport, index: number): Markup {
  const { id, title, verdict, trials, success, latencies, instances, faults, results } = scenario;
  const whole = wholeWay(latencies, WHOLE_PHASES.fromCreation);
  const healed = wholeWay(latencies, WHOLE_PHASES.fromHeal);
  return html`<tr>
    <th scope="row"><a href="#${scenarioId(index)}">${id}</a><small>${title}</small></th>
    <td>${badge(verdict)}</td>
    <td class="num">${trials.passed} of ${results.length + trials.notBegun}</td>
    <td class="num${success.served < success.asked && ' bad'}">${servedText(success)}</td>
    <td class="num">
      ${whole ?? (healed === undefined ? '–' : '')}${healed !== undefined && html`<small>${whole !== undefined && html`<br />`}from the heal<br />${healed}</small>`}
    </td>
    <td class="num${instances.leaked > 0 && ' bad'}">
      ${[instances.created, instances.terminated, instances.live, instances.leaked].join(' / ')}
    </td>
    <td class="num">${faults.armed === 0 ? '–' : `${faults.fired} / ${faults.armed}`}</td>
  </tr>`;
}

function wholeWay(latencies: ScenarioReport['latencies'], whole: string): string | undefined {
  const found = latencies.find(({ phase }) => phase === whole);
  return found === undefined ? undefined : [found.p50Ms, found.p95Ms, found.p99Ms].map(formatDuration).join(' / ');
}

function notRunRow({ scenario, title, reason }: NotRun): Markup {
  return html`<tr class="not-run">
    <th scope="row">${scenario}<small>${title}</small></th>
    <td>${badge('not-run')}</td>
    <td colspan="5">${reason}</td>
  </tr>`;
}

function renderProgram(program: ProgramFacts): Markup {
  const { name, version, goVersion, builtAt, replaces } = program;
  const replaced = replaces.map(({ module, by }) => `; ${by} instead of ${module}`).join('');
  return html`${name} ${version}, built from ${sourceOf(program)} with ${goVersion} at ${builtAt}${replaced}`;
}

/** Everything that is needed to repeat the run: versions, seeds, digests. */
export function renderFacts({ run, notRun, apiVersion, scenarios }: RunReport): Markup {
  const row = (name: string, value: Markup | string): Markup =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const numbers = (record: Readonly<Record<string, number>>): Markup[] =>
    Object.entries(record).map(
      ([name, value]) => html`<span class="chip">${name} ${name.endsWith('Ms') ? formatDuration(value) : value}</span> `,
    );
  return html`<section aria-labelledby="facts">
    <h2 id="facts">Facts about this run</h2>
    <dl class="numbers wide">
      ${row('Target', run.target.name)}
      ${row('Digest of the target', run.target.digest === undefined ? 'none: it is bundled with Scaleproof' : code(run.target.digest))}
      ${run.target.program !== undefined && row('Program', renderProgram(run.target.program))}
      ${row('Versions', html`${Object.entries(run.versions).map(([name, version]) => html`<span class="chip">${name} ${version}</span> `)}<span class="chip">report ${apiVersion}</span>`)}
      ${row('Seeds', run.trials > 1 ? `${run.seed} to ${run.seed + run.trials - 1} of each scenario` : `${run.seed} of each scenario`)}
      ${row('Features', run.target.features.join(', ') || 'none')} ${row('Declared constants', html`${numbers(run.target.constants)}`)}
      ${row('World', run.world.name)} ${row('Time in trials', timeName(run))}
      ${row('Capabilities', run.world.capabilities.join(', ') || 'none')} ${row('Allowances', html`${numbers(run.world.allowances)}`)}
      ${row('Digest of instance types', code(run.digests.catalogue))} ${row('Digest of prices', code(run.digests.prices))}
    </dl>
    ${renderReality(run)} ${renderNotRun(notRun)} ${renderUnseen(run.world.unseen)} ${renderParts(run.world.parts)}
    ${renderEndpoint(run.world.ec2)}
    <h3>Bounds</h3>
    <div class="table-wrap">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Bound</th>
            <th scope="col" class="num">Limit</th>
            <th scope="col">Bound</th>
            <th scope="col">Why so long</th>
          </tr>
        </thead>
        <tbody>
          ${run.bounds.map(
            ({ formula, reason, loose, ...bound }) =>
              html`<tr id="bound-${bound.name}">
                <th scope="row">${bound.name}</th>
                <td class="num">${formatLimit(bound)}</td>
                <td>${formula}</td>
                <td>
                  ${reason}${loose !== undefined && html`<br /><small>Rarely close: ${loose}</small>`} ${brokenIn(bound.name, scenarios)}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** The scenarios in which a bound was not kept. */
function brokenIn(name: string, scenarios: readonly ScenarioReport[]): Markup | undefined {
  const links = scenarios.flatMap(({ id, bounds, results }, index) =>
    bounds.some((report) => report.bound.name === name && isBroken(report, results)) ? html`<a href="#${scenarioId(index)}">${id}</a>` : [],
  );
  if (links.length === 0) return undefined;
  const rest = links.length - MAX_BROKEN_NAMED;
  return html`<p class="bad">
    ✗ Not kept in ${links.slice(0, MAX_BROKEN_NAMED).map((link, at) => html`${at > 0 && ', '}${link}`)}${rest > 0 && ` and ${rest} more`}
  </p>`;
}

/** What was simulated: a reader must know which parts of a cluster were real. */
function renderReality({ world, target }: RunReport['run']): Markup {
  const isEmbedded = world.name === 'embedded';
  const clock = isVirtual({ world })
    ? 'Time was simulated: a virtual clock that jumps over waiting, so that the same seed gives the same bytes.'
    : 'Time was real.';
  const cluster = isEmbedded
    ? "Simulated: the API server, the scheduler, workload controllers, kubelets and the cloud controller manager are Scaleproof's own. Containers are not run."
    : `The cluster was a real one (${world.name}); Scaleproof was a proxy between it and the target.`;
  const cloud =
    world.ec2 === undefined
      ? isEmbedded
        ? 'Simulated: EC2, SQS and other AWS services that the target uses, with the published instance types and prices. No real instance was launched.'
        : 'EC2 and SQS of the world.'
      : `EC2 and SQS: ${world.ec2.endpoint}, with its gaps filled by Scaleproof's EC2 in front of it.`;
  return html`<h3>What was simulated</h3>
    <ul class="reality">
      <li>${cluster}</li>
      <li>${cloud}</li>
      <li>${clock}</li>
      <li>Real: the target itself (${target.name}), and every byte of its requests and responses on both wires.</li>
    </ul>`;
}

/** Each reason once, with its scenarios. */
function renderNotRun(notRun: readonly NotRun[]): Markup {
  const reasons = new Map<string, Set<string>>();
  for (const { reason, scenario } of notRun) reasons.set(reason, (reasons.get(reason) ?? new Set()).add(scenario));
  return html`<h3>What was not run, and why</h3>
    ${
      reasons.size === 0
        ? html`<p>Everything that was requested was run.</p>`
        : html`<ul>
            ${[...reasons].map(([reason, scenarios]) => html`<li>${reason}: ${formatCount(scenarios.size, 'scenario')}, ${[...scenarios].join(', ')}</li>`)}
          </ul>`
    }
    <h3>What this page leaves out</h3>
    <p>
      Of trials that did not pass, the log up to ${EVENT_BUDGET.rowsFailed} rows, ${EVENT_BUDGET.trialsFailed} trials per scenario, while
      ${EVENT_BUDGET.charactersFailed / 1e6} million characters last, then in brief; of trials that passed, one per scenario and the first
      ${EVENT_BUDGET.rowsPassed} rows, while what is left of ${EVENT_BUDGET.charactersScenarios / 1e6} million characters lasts, then in
      brief. Of crash points only the table. <code>report.json</code> and <code>histories/</code> beside this page have everything.
    </p>`;
}

function renderUnseen(unseen: RunReport['run']['world']['unseen']): Markup | undefined {
  if (unseen === undefined) return undefined;
  return html`<h3>What was not recorded</h3>
    <ul>
      ${unseen.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>`;
}

function renderParts(parts: RunReport['run']['world']['parts']): Markup | undefined {
  if (parts === undefined) return undefined;
  const time = (ms: number | undefined): string => (ms === undefined ? '' : formatDuration(ms));
  return html`<h3>Real parts</h3>
    <div class="table-wrap">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Started for this run</th>
            <th scope="col" class="num">Up after</th>
            <th scope="col" class="num">Down after</th>
          </tr>
        </thead>
        <tbody>
          ${parts.map(
            ({ part, upMs, downMs }) =>
              html`<tr>
                <th scope="row">${part}</th>
                <td class="num">${time(upMs)}</td>
                <td class="num">${time(downMs)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** The gaps of an EC2 emulator, which Scaleproof's EC2 in front of it fills. */
function renderEndpoint(ec2: RunReport['run']['world']['ec2']): Markup | undefined {
  if (ec2 === undefined) return undefined;
  const state = (present: boolean | undefined): string => (present === undefined ? 'unknown' : present ? 'added' : "the endpoint's own");
  return html`<h3>LocalStack ${ec2.version} at ${ec2.endpoint}</h3>
    <p>It has the instances and the messages. Scaleproof's EC2 in front of it fills its gaps; each was probed.</p>
    <div class="table-wrap">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">What EC2 does</th>
            <th scope="col">Here</th>
            <th scope="col">The endpoint</th>
          </tr>
        </thead>
        <tbody>
          ${ec2.gaps.map(
            ({ gap, ec2: does, present, evidence }) =>
              html`<tr>
                <th scope="row">${does} <small>(${gap})</small></th>
                <td>${state(present)}</td>
                <td>${evidence}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
