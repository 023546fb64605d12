import { inflateRawSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { eventSchema } from '../history/events.ts';
import type { HistoryEvent } from '../history/events.ts';
import { formatAllure } from './allure.ts';
import { anonymise, createAnonymiser, targetNames } from './anonymous.ts';
import { badgeOf, formatBadge, formatEndpoint } from './badge.ts';
import { buildReport } from './build-report.ts';
import { formatAnnotations, formatSummary } from './github.ts';
import { renderHtml } from './html/render-html.ts';
import { formatJunit } from './junit.ts';
import { runFactsSchema } from './report-input.ts';
import type { ReportInput } from './report-input.ts';
import { formatReport } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';

const NAME = 'mutant:new-token-on-retry:quick';

/** Puts the name of the target everywhere in a history where a target may write it. */
function revealingName(events: HistoryEvent[]): HistoryEvent[] {
  return events.map((event) => {
    if (event.type === 'trial.begin') return { ...event, target: { ...event.target, name: NAME } };
    if (event.type === 'said')
      return { ...event, message: `NewTokenOnRetry-controller (new_token_on_retry): ${event.message}`, about: 'pods/new-token-on-retry/a' };
    if (event.type === 'instance') return { ...event, tags: { 'new-token-on-retry/owner': `${NAME}@1`, other: 'x' } };
    if (event.type === 'pod') return { ...event, pod: event.pod.replace('default/', 'new-token-on-retry/') };
    if (event.type === 'request.start' && event.operation === 'ec2:CreateFleet')
      return {
        ...event,
        input: {
          UserData: Buffer.from('#!/bin/sh\n# made by new-token-on-retry\n').toString('base64'),
          path: encodeURIComponent(`/${NAME}`),
        },
      };
    return event;
  });
}

function named(): ReportInput {
  const { run, trials, notRun } = sampleRun({ trials: 2, rewrite: revealingName });
  const renamed = (replay: string): string => replay.replace('target=reference', `target=${NAME}`);
  return {
    run: {
      ...run,
      id: 'new-token-on-retry-of-monday',
      target: { ...run.target, name: NAME, digest: 'f'.repeat(64) },
      planned: run.planned.map((trial) => ({ ...trial, replay: renamed(trial.replay) })),
    },
    trials: trials.map((trial) => ({ ...trial, result: { ...trial.result, target: NAME, replay: renamed(trial.result.replay) } })),
    notRun: notRun.map((one) => ({ ...one, reason: `${NAME} does not declare it` })),
  };
}

/** Every output, with packed parts unpacked. */
function outputsOf(input: ReportInput): Record<string, string> {
  const report = buildReport(input);
  const page = renderHtml(input, report);
  const packed = [...page.matchAll(/<template class="packed">([^<]*)<\/template>/g)].map(([, text = '']) =>
    inflateRawSync(Buffer.from(text, 'base64')).toString(),
  );
  const badge = badgeOf(report);
  return {
    'run.json': JSON.stringify(input.run),
    histories: input.trials.map(({ events }) => JSON.stringify(events)).join('\n'),
    'report.json': formatReport(report),
    'junit.xml': formatJunit(report),
    'report.html': page,
    'report.html unpacked': packed.join('\n'),
    'badge.svg': formatBadge(badge),
    'badge.json': formatEndpoint(badge),
    summary: formatSummary(report),
    annotations: formatAnnotations(report),
    allure: formatAllure(input, report)
      .map(({ name, content }) => `${name}\n${content}`)
      .join('\n'),
  };
}

test('no output names the target, wherever its name was in the history', () => {
  const input = named();
  const isNamed = /new.?token.?on.?retry|mutant/i;
  const base64 = Buffer.from('#!/bin/sh\n# made by new-token-on-retry\n').toString('base64');
  expect(isNamed.test(outputsOf(input)['report.json'] ?? ''), 'the original has the names').toBe(true);
  for (const [name, content] of Object.entries(outputsOf(anonymise(input, targetNames(input))))) {
    expect(isNamed.exec(content)?.[0], name).toBeUndefined();
    expect(content.includes(base64), name).toBe(false);
    expect(content.includes('f'.repeat(64)), `${name}: the digest of its file`).toBe(false);
  }
});

test('verdicts, counts, times and kinds of findings do not change', () => {
  const input = named();
  const [before, after] = [buildReport(input), buildReport(anonymise(input, targetNames(input)))];
  expect(after.verdict).toBe(before.verdict);
  expect(after.totals).toEqual(before.totals);
  const codes = (report: typeof before): string[] =>
    report.scenarios.flatMap(({ results }) =>
      results.flatMap(({ checks }) => checks.flatMap(({ findings }) => findings.map(({ code }) => code))),
    );
  expect(codes(after)).toEqual(codes(before));
  expect(after.scenarios[0]?.results[0]?.replay).toContain(',target=REDACTED,seed=1,');
});

test('an anonymised run and its histories still have valid formats', () => {
  for (const name of ['./pod.ts', './node.yaml#kube', 'aws', '/home/x/verdict.ts', NAME]) {
    const input = sampleRun({ trials: 1 });
    const renamed = { ...input, run: { ...input.run, target: { ...input.run.target, name } } };
    const anonymous = anonymise(renamed, targetNames(renamed));
    expect(() => runFactsSchema.parse(anonymous.run), name).not.toThrow();
    for (const event of anonymous.trials[4]?.events ?? []) expect(eventSchema.safeParse(event).success, `${name} ${event.type}`).toBe(true);
  }
});

test('a file is identified by its path, its name and its stem, and by the name in the histories', () => {
  const { run, trials } = sampleRun({ trials: 1, only: ['provisioning/scale-out-and-back'] });
  const names = targetNames({ run: { ...run, target: { ...run.target, name: './their/acme-scaler.yaml' } }, trials });
  expect(names).toEqual(
    expect.arrayContaining(['./their/acme-scaler.yaml', 'their/acme-scaler.yaml', 'acme-scaler.yaml', 'acme-scaler', 'reference']),
  );
});

test('a module is identified by its folders and its export, and by its own name in any spelling', () => {
  const { run, trials } = sampleRun({
    trials: 1,
    only: ['provisioning/scale-out-and-back'],
    rewrite: (events) =>
      events.map((event) => (event.type === 'trial.begin' ? { ...event, target: { ...event.target, name: 'Nimbus Pro' } } : event)),
  });
  const namesOf = (name: string): string[] => targetNames({ run: { ...run, target: { ...run.target, name } }, trials });
  const { text } = createAnonymiser(namesOf('./acmeco/src/targets/zephyr.ts#stratus'));
  for (const said of ['stratus', 'by acmeco', 'NimbusPro', 'nimbus-pro', 'nimbus_pro/x', 'NIMBUS PRO', 'ZephyrController', 'myZephyr'])
    expect(text(said)).not.toMatch(/stratus|acmeco|nimbus|zephyr/i);
  for (const said of ['stratusphere', 'the targets in src', 'ZEPHYRS', 'controller of index 3']) expect(text(said)).toBe(said);
  for (const folder of ['kubernetes', 'provisioning'])
    expect(namesOf(`./${folder}/auto.ts`), 'common words are kept').not.toContain(folder);
  const index = createAnonymiser(namesOf('./lib/index.ts#default'));
  expect(index.text('index out of range in lib, by default')).toBe('index out of range in lib, by default');
  expect(index.text('at lib/index.ts:3')).toBe('at target:3');
});

test('the user’s own words are hidden, too, and words of the data formats are refused', () => {
  const input = named();
  expect(targetNames(input, ['Acme'])).toContain('Acme');
  for (const word of ['aws', 'node', 'request.start', 'pass', ' '])
    expect(() => targetNames(input, [word])).toThrow(`"${word}" can't be hidden`);
});

test('a word is a name if it is alone or in an identifier, but not inside another word', () => {
  const { text } = createAnonymiser(['plain']);
  expect(text('plain')).toBe('the target');
  expect(text('plain-autoscaler/cluster of Plain; plainly explained')).toBe('target-autoscaler/cluster of target; plainly explained');
});

test('any name in any text is removed', () => {
  const name = fc.stringMatching(/^[a-z]{2,8}(-[a-z]{2,8}){1,2}$/);
  fc.assert(
    fc.property(name, fc.string(), fc.string(), (hidden, before, after) => {
      const { data } = createAnonymiser([hidden]);
      const clean = JSON.stringify(data({ [`${before}${hidden}`]: [`${hidden}${after}`, { deep: `${before}${hidden}${after}` }] }));
      // Text around it, or the replacement, may form the name again.
      fc.pre(!`${before}target${after}`.toLowerCase().includes(hidden));
      expect(clean.toLowerCase()).not.toContain(hidden);
    }),
  );
});
