import { inflateRawSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { createView } from '../../history/view.ts';
import { buildReport } from '../build-report.ts';
import { createDescriber } from '../describe-event.ts';
import type { ReportInput } from '../report-input.ts';
import type { TrialReport } from '../run-report.ts';
import { Sketch } from '../testing/sketch.ts';
import { largeRun } from '../testing/large-run.ts';
import { sampleRun } from '../testing/sample-run.ts';
import { condense, notableEvents } from './log.ts';
import { renderHtml } from './render-html.ts';
import { MAX_TRIALS_SHOWN, shownTrials } from './scenario.ts';
import { buildStory } from './story.ts';

test('the same run gives the same bytes', () => {
  expect(renderHtml(sampleRun({ trials: 1 }))).toBe(renderHtml(sampleRun({ trials: 1 })));
});

test('the events of a trial are read at most once, and only of trials that are drawn', () => {
  const id = 'scheduling/spot-spread';
  const input = sampleRun({ trials: 3, only: [id] });
  const report = buildReport(input);
  const reads = new Map<number, number>();
  const counted: ReportInput = {
    ...input,
    trials: input.trials.map(({ result, seen, events }) => ({
      result,
      seen,
      get events() {
        reads.set(result.seed, (reads.get(result.seed) ?? 0) + 1);
        return events;
      },
    })),
  };
  renderHtml(counted, report);
  expect([...reads]).toEqual([[1, 1]]);
  reads.clear();
  buildReport(counted);
  expect([...reads], 'a passed trial is not read again').toEqual([]);
});

test('a trial that passed adds little to the page', () => {
  const passing = ['provisioning/scale-out-and-back', 'scheduling/spot-spread', 'capacity/spot-runs-out'];
  // The waits by phase are on each page once, whatever the number of trials.
  const shared = /<section aria-labelledby="waits">.*?<\/section>/s;
  const sizeOf = (only: string[]): number => renderHtml(sampleRun({ trials: 1, only })).replace(shared, '').length;
  expect((sizeOf(passing) - sizeOf([])) / passing.length).toBeLessThan(20_000);
});

test('a run in real time says so', () => {
  const input = sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] });
  const world = { ...input.run.world, capabilities: input.run.world.capabilities.filter((one) => one !== 'time.virtual') };
  const page = renderHtml({ ...input, run: { ...input.run, world } });
  expect(page).toContain('<h2>Real time</h2>');
  expect(page).toContain(' of real time</span>');
  expect(page.toLowerCase()).not.toContain('virtual time');
});

test('the page loads nothing from anywhere', () => {
  const page = renderHtml(sampleRun({ trials: 1 }));
  expect(page).not.toMatch(/(?:src|href)="(?!#|data:)/);
  expect(page).not.toMatch(/https?:\/\//);
  expect(page).not.toMatch(/url\((?!#)/);
  expect(page).not.toMatch(/ style="/);
});

test('workloads of manifests that no trial shows to be served are at the top of the page', () => {
  const input = sampleRun({ trials: 1, only: ['scheduling/spot-spread'] });
  const gap = { workload: 'Deployment a/<b>', where: 'w.yaml, document 1', kind: 'unservable' as const, why: 'no pool has GPUs' };
  const manifests = { directory: './shop', workloads: 3, gaps: [gap], strict: true };
  const page = renderHtml({ ...input, run: { ...input.run, manifests } });
  const header = page.slice(page.indexOf('<header'), page.indexOf('</header>'));
  expect(header).toContain('passed its scenario, but 1 of 3 workloads in ./shop is not shown to be served');
  expect(header).toContain('Deployment a/&lt;b&gt;: it CANNOT BE SERVED');
  expect(header).toContain('they decide the verdict');
});

test('colours of faults are not trusted', () => {
  const only = ['crashes/killed-after-launch'];
  const page = renderHtml(
    sampleRun({
      trials: 1,
      only,
      rewrite: (events) =>
        events.map((event) =>
          event.type === 'fault.armed' ? { ...event, fault: { ...event.fault, color: 'url(https://example.com/a.svg)' } } : event,
        ),
    }),
  );
  expect(page).not.toContain('example.com');
});

test('of many trials, those that did not pass are drawn up to a limit, with one that passed', () => {
  const scenario = buildReport(sampleRun({ trials: 2 * MAX_TRIALS_SHOWN + 4, only: ['crashes/killed-after-launch'] })).scenarios[0];
  if (scenario === undefined) throw new Error('no scenario');
  const shown = shownTrials(scenario);
  expect(shown.map(({ verdict }) => verdict)).toEqual([...Array.from({ length: MAX_TRIALS_SHOWN }, () => 'fail'), 'pass']);
});

test('the story has actions, faults, observations and reasons for the verdict', () => {
  const input = sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] });
  const trial = buildReport(input).scenarios[0]?.results[0];
  if (trial === undefined) throw new Error('no trial');
  const story = buildStory(createView(input.trials[0]?.events ?? []), trial);
  const text = (sentences: readonly { readonly text: string }[]): string => sentences.map((sentence) => sentence.text).join(' ');
  expect(text(story.done)).toContain(
    'Workload web was deployed: 5 pods of 1500m CPU and 2Gi. These pods can be served. They had to run within the bound recover (7 min 33 s).',
  );
  expect(text(story.broken)).toContain('it fired once, at 0:15.300 (ec2:CreateFleet); healed at 2:30.000.');
  expect(text(story.seen)).toContain('The target launched 6 instances; 5 terminated, 1 still running at the end; 1 leaked.');
  expect(text(story.seen)).toContain('incarnation 1, started at 0:00.120, was killed at 0:15.300');
  expect(text(story.judged)).toContain('no-leaked-instances (fail)');
});

test('a log describes requests by their outcome, and similar ones once', () => {
  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  sketch.deploy(3_000, 'web', 1);
  for (let t = 10_000; t < 40_000; t += 10_000) {
    sketch.request(t, { operation: 'ec2:CreateFleet', rejected: 'MissingParameter', end: 'fail', status: 400, code: 'MissingParameter' });
  }
  const events = sketch.finish();
  const rows = condense(notableEvents(createView(events)), createDescriber(events));
  expect(rows.slice(-1).map(({ what, count }) => ({ what, count }))).toEqual([
    { what: 'ec2:CreateFleet failed: 400 MissingParameter', count: 3 },
  ]);
});

test('similar events at about the same moment share a row, even with others between them', () => {
  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  for (const t of [10_000, 10_500, 20_000]) {
    sketch.at(t, { type: 'pod', pod: `default/a-${t}`, uid: `a-${t}`, to: 'created' });
    sketch.at(t + 1, { type: 'node', node: `n-${t}`, uid: `n-${t}`, to: 'ready' });
  }
  const events = sketch.finish();
  const rows = condense(notableEvents(createView(events)), createDescriber(events));
  expect(
    rows.filter(({ tMs }) => tMs >= 10_000 && tMs < 30_000).map(({ tMs, untilMs, what, count }) => ({ tMs, untilMs, what, count })),
  ).toEqual([
    { tMs: 10_000, untilMs: 10_500, what: 'Pod created', count: 2 },
    { tMs: 10_001, untilMs: 10_501, what: 'Node ready', count: 2 },
    { tMs: 20_000, untilMs: 20_000, what: 'Pod created', count: 1 },
    { tMs: 20_001, untilMs: 20_001, what: 'Node ready', count: 1 },
  ]);
});

test('each kind of problem is shown once, with its scenarios, and the most common first', () => {
  const input = sampleRun({ trials: 1, only: ['crashes/killed-after-launch'] });
  const report = buildReport(input);
  const [scenario] = report.scenarios;
  const [trial] = scenario?.results ?? [];
  if (scenario === undefined || trial === undefined) throw new Error('no scenario');
  const [finding] = trial.checks.flatMap(({ findings }) => findings);
  if (finding === undefined) throw new Error('no finding');
  const rare = {
    ...scenario,
    id: 'incidents/rare',
    results: [{ ...trial, checks: [check('target-alive', 'fail', { ...finding, code: 'rare' })] }],
  };
  const odd = {
    ...scenario,
    id: 'incidents/odd',
    results: [
      {
        ...trial,
        checks: [
          ...trial.checks,
          check('target-alive', 'fail', { ...finding, code: 'rare', message: 'a different problem' }),
          check('faults-fired', 'unknown'),
          check('latency', 'unknown'),
        ],
      },
    ],
  };
  const page = renderHtml(input, { ...report, scenarios: [rare, scenario, odd, { ...scenario, id: 'incidents/more' }] });
  const problems = page.slice(page.indexOf('id="problems"'), page.indexOf('id="scenarios"'));
  const cards = problems.split('<li ').slice(1);
  const { code } = finding;
  expect(cards.filter((card) => card.includes(`>${code}<`))).toHaveLength(1);
  expect(cards[0]).toContain('href="#scenario-2"');
  expect(cards[0]?.replaceAll(/\s+/g, ' ')).toContain('and 2 more scenarios');
  expect(cards[0]).toContain('<a href="#scenario-3">incidents/odd</a');
  expect(cards[1]).toContain('>rare<');
  expect(cards[1], 'a different message is shown').toContain('a different problem');
  expect(cards[0], 'similar messages are not repeated').toMatch(/^(?:(?!referred to it)[^])*referred to it(?:(?!referred to it)[^])*$/);
  const unsure = cards.slice(-2);
  expect(
    unsure.map((card) => card.includes('class="problem unknown"')),
    'unknowns are shown after failures',
  ).toEqual([true, true]);
  expect(unsure.join()).toContain('Check faults-fired');
  expect(unsure.join()).toContain('Check latency');
});

function check(
  name: string,
  verdict: 'fail' | 'unknown',
  ...findings: TrialReport['checks'][number]['findings']
): TrialReport['checks'][number] {
  return { check: name, verdict, summary: 'never fired', findings, measurements: [] };
}

test('in each profile failures come first, then the unknown, in the table and below it', () => {
  const page = renderHtml(sampleRun({ trials: 1 }));
  const place = (id: string, from: string): number => page.indexOf(id, page.indexOf(from));
  const core = [
    'crashes/killed-after-launch',
    'api-pressure/lost-launch-answer',
    'provisioning/scale-out-and-back',
    'capacity/spot-runs-out',
  ];
  for (const from of ['id="scenarios"', 'id="profile-core"']) {
    const places = core.map((id) => place(id, from));
    expect(places, from).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places), from).toBeGreaterThan(0);
  }
  expect(place('capacity/reserved-capacity', 'id="scenarios"')).toBeGreaterThan(place('scheduling/spot-spread', 'id="scenarios"'));
});

test('scenarios that did not pass get the budget of the page first', () => {
  const passing = ['provisioning/scale-out-and-back', 'scheduling/spot-spread', 'capacity/spot-runs-out'];
  const failing = 'crashes/killed-after-launch';
  const input = sampleRun({ trials: 1, only: [...passing, failing] });
  const report = buildReport(input);
  const passed = report.scenarios.filter(({ id }) => passing.includes(id));
  const many = Array.from({ length: 400 }, () => passed).flat();
  const page = renderHtml(input, { ...report, scenarios: [...many, ...report.scenarios.filter(({ id }) => id === failing)] });
  const unpacked = page.replaceAll(/<template class="packed">([^<]*)<\/template>/g, (_all, text: string) =>
    inflateRawSync(Buffer.from(text, 'base64')).toString(),
  );
  const shown = unpacked.split(/<details\s+class="scenario"/).slice(1);
  expect(shown).toHaveLength(many.length + 1);
  const brief = shown.filter((text) => text.includes('in brief, to limit the size of this page'));
  expect(brief.length, 'some of those that passed').toBeGreaterThan(0);
  expect(brief.length).toBeLessThan(many.length);
  expect(
    brief.filter((text) => text.includes(`>${failing}<`)),
    'a failure, although it comes last',
  ).toEqual([]);
});

/** Bytes of a page. */
const MAX_PAGE = 3 * 1024 * 1024;

test('a page stays below 3 MiB, with any failures in any number of scenarios, and with the longest trend', { tag: '@long' }, () => {
  for (const count of [
    { failed: 150, passed: 0 },
    { failed: 75, passed: 75 },
    { failed: 1, passed: 149 },
  ]) {
    const { input, report } = largeRun(count, 8);
    const page = renderHtml(input, report);
    expect(Buffer.byteLength(page), JSON.stringify(count)).toBeLessThan(MAX_PAGE);
  }
});

test('so does one of 156 scenarios with 20 seeds each', { tag: '@long' }, () => {
  for (const count of [
    { failed: 10, passed: 146 },
    { failed: 156, passed: 0 },
    { failed: 0, passed: 156 },
  ]) {
    const { input, report } = largeRun(count, 20);
    expect(Buffer.byteLength(renderHtml(input, report)), JSON.stringify(count)).toBeLessThan(MAX_PAGE);
  }
});
