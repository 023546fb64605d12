import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { z } from 'zod';
import { folderWith } from '../cli/testing/files.ts';
import { root } from '../quality/sources.ts';

/** What `init pagerduty` writes. */
const CONFIG = join(root, 'fixtures/templates/pagerduty/alertmanager.yaml');
/** The kits whose alerts it routes. */
const RULES = ['prometheus', 'loki'];

const rulesSchema = z.looseObject({
  groups: z.array(
    z.looseObject({
      rules: z.array(z.looseObject({ alert: z.string().optional(), labels: z.strictObject({ severity: z.string() }).optional() })),
    }),
  ),
});
const pagerdutySchema = z.strictObject({
  routing_key_file: z.string(),
  severity: z.enum(['critical', 'warning']),
  send_resolved: z.literal(true),
  class: z.string(),
  group: z.string(),
  component: z.string(),
  description: z.string(),
  details: z.record(z.string(), z.string()),
  links: z.array(z.strictObject({ href: z.string(), text: z.string() })),
});
/** Keys that are known to hold no secret. `route` is left to amtool. */
const configSchema = z.strictObject({
  route: z.unknown(),
  receivers: z.array(z.strictObject({ name: z.string(), pagerduty_configs: z.array(pagerdutySchema).optional() })),
});

const text = readFileSync(CONFIG, 'utf8');
const { receivers } = configSchema.parse(parse(text, { merge: true }));

/** Each alert's name and severity. */
const alerts = RULES.flatMap((kit) =>
  rulesSchema
    .parse(parse(readFileSync(join(root, `fixtures/templates/${kit}/rules.yaml`), 'utf8')))
    .groups.flatMap(({ rules }) =>
      rules.flatMap(({ alert, labels }) => (alert === undefined ? [] : [{ alert, severity: labels?.severity }])),
    ),
);

const amtool = spawnSync('amtool', ['--version'], { encoding: 'utf8' });
const WITHOUT_AMTOOL = "amtool is not installed; install Debian's package prometheus-alertmanager";

/** Runs amtool. @returns its exit code and what it printed */
function runAmtool(...args: readonly string[]): { code: number | null; output: string } {
  const { status, stdout } = spawnSync('amtool', args, { encoding: 'utf8' });
  return { code: status, output: stdout };
}

/** The receivers of an alert with these labels. */
function receiversOf(labels: Readonly<Record<string, string>>, config = CONFIG): string {
  const given = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  return runAmtool('config', 'routes', 'test', `--config.file=${config}`, ...given).output.trim();
}

test('every incident has a key from a file, the severity of its receiver, is resolved, and links a runbook', () => {
  const kinds = receivers.map(({ name, pagerduty_configs: configs = [] }) => [name, ...configs.map(({ severity }) => severity)]);
  expect(kinds).toEqual([['default'], ['scaleproof-critical', 'critical'], ['scaleproof-warning', 'warning']]);
  for (const { links, details } of receivers.flatMap(({ pagerduty_configs: configs = [] }) => configs)) {
    expect(links.map(({ text: name }) => name)).toEqual(['Runbook', 'Expression']);
    expect(Object.keys(details)).toEqual(['firing', 'resolved', 'runbook']);
  }
});

test('Alertmanager accepts the file, and refuses it with a misspelt key or a receiver that does not exist', ({}, testInfo) => {
  test.skip(amtool.error !== undefined, WITHOUT_AMTOOL);
  expect(runAmtool('check-config', CONFIG)).toMatchObject({ code: 0 });
  const folder = folderWith(testInfo);
  for (const [from, to] of [
    ['send_resolved', 'send_resolve'],
    ['receiver: scaleproof-critical', 'receiver: scaleproof-page'],
    ['severity="critical"', 'severity="critical'],
  ] as const) {
    writeFileSync(join(folder, 'broken.yaml'), text.replace(from, to));
    expect(runAmtool('check-config', join(folder, 'broken.yaml')).code, to).toBe(1);
  }
});

test('every alert of the kits goes to the receiver of its severity, and nothing else goes to PagerDuty', ({}, testInfo) => {
  test.skip(amtool.error !== undefined, WITHOUT_AMTOOL);
  expect(new Set(alerts.map(({ severity }) => severity))).toEqual(new Set(['critical', 'warning']));
  for (const { alert, severity = '' } of alerts)
    expect(receiversOf({ alertname: alert, severity, job: 'karpenter' }), alert).toBe(`scaleproof-${severity}`);
  // Neither is lost because its severity is.
  expect(receiversOf({ alertname: 'KarpenterLaunchFailures' })).toBe('scaleproof-warning');
  expect(receiversOf({ alertname: 'KarpenterLaunchFailures', severity: 'page' })).toBe('scaleproof-warning');
  expect(receiversOf({ alertname: 'NodeFilesystemFull', severity: 'critical' })).toBe('default');
  // The test can fail: without the inner route everything is a warning.
  const broken = join(folderWith(testInfo), 'broken.yaml');
  writeFileSync(broken, text.replace('severity="critical"', 'severity="page"'));
  expect(receiversOf({ alertname: 'KarpenterLaunchFailures', severity: 'critical' }, broken)).toBe('scaleproof-warning');
});

test('an incident says what is wrong, where, and what to do, also of a cluster without a name', ({}, testInfo) => {
  test.skip(amtool.error !== undefined, WITHOUT_AMTOOL);
  const data = join(folderWith(testInfo), 'data.json');
  const alertOf = (status: string, description: string): object => ({
    status,
    labels: { alertname: 'KarpenterLaunchFailures', job: 'karpenter', severity: 'critical' },
    annotations: { summary: 'Launches fail', description, runbook: 'Which error?' },
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=1',
  });
  const both = [alertOf('firing', '1 % fails.'), alertOf('resolved', '2 % failed.')];
  writeFileSync(data, JSON.stringify({ alerts: both, groupLabels: { alertname: 'KarpenterLaunchFailures', job: 'karpenter' } }));
  const render = (template: string): string =>
    runAmtool('template', 'render', '--template.glob=', `--template.text=${template}`, `--template.data=${data}`).output.trim();
  const [incident] = receivers.flatMap(({ pagerduty_configs: configs = [] }) => configs);
  if (incident === undefined) throw new Error('there is no receiver for PagerDuty');
  const { description, component, group, details, links } = incident;
  const shown = { description, component, group, ...details, link: links[0]?.href ?? '', expression: links[1]?.href ?? '' };
  expect(Object.fromEntries(Object.entries(shown).map(([name, template]) => [name, render(template)]))).toEqual({
    description: 'KarpenterLaunchFailures: Launches fail',
    component: 'karpenter',
    group: '',
    firing: '1 % fails.',
    resolved: '2 % failed.',
    runbook: 'Which error?',
    link: 'https://runbooks.example.com/KarpenterLaunchFailures',
    expression: 'http://prometheus.example.com/graph?g0.expr=1',
  });
});
