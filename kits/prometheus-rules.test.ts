import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { GATE_METRICS } from '../cli/init/gate-metrics.ts';
import { root } from '../quality/sources.ts';

/** What `init prometheus` writes. */
const TEMPLATES = join(root, 'fixtures/templates/prometheus');
const TESTS = ['rules.test.yaml', 'rules-of-days.test.yaml'];

const ruleSchema = z.strictObject({
  record: z.string().optional(),
  alert: z.string().optional(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }).optional(),
  annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook: z.string() }).optional(),
});
const rulesSchema = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), interval: z.string(), rules: z.array(ruleSchema) })),
});
const metricSchema = z.strictObject({
  name: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
  labels: z.array(z.string()),
  module: z.string(),
  file: z.string(),
});
const karpenterSchema = z.strictObject({ comment: z.string(), versions: z.record(z.string(), z.string()), metrics: z.array(metricSchema) });
const panelSchema = z.looseObject({
  id: z.number().int(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string().min(1),
  gridPos: z.strictObject({ x: z.number().min(0), y: z.number().min(0), w: z.number().min(1).max(24), h: z.number().min(1) }),
  targets: z.array(z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).optional(),
});
/** What Grafana needs in a dashboard of this schema version. */
const dashboardSchema = z.looseObject({
  uid: z.string().max(40),
  title: z.string(),
  schemaVersion: z.literal(39),
  templating: z.strictObject({ list: z.array(z.looseObject({ name: z.string(), type: z.enum(['datasource', 'query']) })) }),
  panels: z.array(panelSchema),
});

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const document = rulesSchema.parse(parse(textOf('fixtures/templates/prometheus/rules.yaml')));
const rules = document.groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const karpenter = karpenterSchema.parse(JSON.parse(textOf('kits/prometheus/karpenter-metrics.json')));
const dashboard = dashboardSchema.parse(JSON.parse(textOf('fixtures/templates/grafana/dashboard.json')));
/** The expressions of the dashboard, with a value for each Grafana variable. */
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, refId }) => ({
    name: `${title} ${refId}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(job|cluster)\b/g, '.*'),
  })),
);

/** Metric names of the reference autoscaler. A test next to the controller proves that its page lists exactly the exported ones. */
function referenceMetrics(): Set<string> {
  const [, section = ''] = textOf('docs/controller.md').split('\n## Metrics\n');
  const table = section.split('\n').filter((line) => line.startsWith('| '));
  return new Set(table.flatMap((line) => [...line.matchAll(/`(karpenter_\w+)`/g)].map(([, name = '']) => name)));
}

/** The metrics in an expression: their exported names, and the labels that it selects them by. */
function metricsIn(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  const found = expr.matchAll(/\b((?:karpenter|aws_sdk_go|scaleproof)[a-z0-9_:]*|up\b)(?:\{([^}]*)\})?/g);
  return [...found].map(([, name = '', selectors = '']) => ({
    name,
    labels: [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  }));
}

interface Known {
  readonly labels: readonly string[];
  readonly histogram: boolean;
}

/** Every metric that may be queried, with its labels: those of Karpenter, of the gate, and the recorded ones. */
function knownMetrics(): Map<string, Known> {
  const known = new Map<string, Known>();
  for (const { name, type, labels } of karpenter.metrics) {
    if (type === 'histogram') for (const suffix of ['bucket', 'count', 'sum']) known.set(`${name}_${suffix}`, { labels, histogram: true });
    else known.set(name, { labels, histogram: false });
  }
  for (const { name, labels } of Object.values(GATE_METRICS)) known.set(name, { labels, histogram: false });
  // Prometheus itself writes it for every job.
  known.set('up', { labels: [], histogram: false });
  for (const { record } of rules) if (record !== undefined) known.set(record, { labels: ['nodepool'], histogram: false });
  return known;
}

/** Labels that Prometheus or the scrape configuration adds to every series. */
const SCRAPED = ['job', 'cluster'];

const promtool = spawnSync('promtool', ['--version'], { encoding: 'utf8' });
const WITHOUT_PROMTOOL = "promtool is not installed; install Debian's package prometheus";

/** Runs promtool. @returns its exit code and what it printed */
function runPromtool(args: readonly string[], cwd: string): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  return { code: status, output: `${stdout}${stderr}` };
}

/** Runs the tests of the rules on these rules, in a new folder. */
function testRules(rulesYaml: string, folder: string): ReturnType<typeof runPromtool> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'rules.yaml'), rulesYaml);
  for (const file of TESTS) cpSync(join(root, 'kits/prometheus', file), join(folder, file));
  return runPromtool(['test', 'rules', ...TESTS], folder);
}

test('the rules fire and stay silent as specified, without metrics and over restarts too', ({}, testInfo) => {
  test.skip(promtool.error !== undefined, WITHOUT_PROMTOOL);
  expect(runPromtool(['check', 'rules', 'rules.yaml'], TEMPLATES)).toMatchObject({ code: 0 });
  const { code, output } = testRules(textOf('fixtures/templates/prometheus/rules.yaml'), testInfo.outputPath('rules'));
  expect(code, output).toBe(0);
});

test('the scrape job of the gate is valid for Prometheus, has the token, and has the name that the rules use', () => {
  const { scrape_configs: jobs } = z
    .strictObject({ scrape_configs: z.array(z.looseObject({ job_name: z.string(), authorization: z.looseObject({}) })) })
    .parse(parse(textOf('fixtures/templates/prometheus/scrape.yaml')));
  expect(jobs).toMatchObject([{ job_name: 'scaleproof', authorization: { credentials_file: expect.any(String) } }]);
  expect(rules.find(({ alert }) => alert === 'ScaleproofGateUnseen')?.expr).toContain('up{job="scaleproof"}');
  test.skip(promtool.error !== undefined, WITHOUT_PROMTOOL);
  const { code, output } = runPromtool(['check', 'config', '--syntax-only', 'scrape.yaml'], TEMPLATES);
  expect(code, output).toBe(0);
});

test('the tests of the rules can fail: they notice each alert that never fires', ({}, testInfo) => {
  test.skip(promtool.error !== undefined, WITHOUT_PROMTOOL);
  const never = document.groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => (rule.alert === undefined ? rule : { ...rule, expr: 'vector(1) > 2' })),
  }));
  const { code, output } = testRules(stringify({ groups: never }), testInfo.outputPath('never'));
  expect(code).toBe(1);
  expect(alerts.flatMap(({ alert = '' }) => (output.includes(`alertname="${alert}"`) ? [] : [alert]))).toEqual([]);
});

test('every alert says what is wrong, for whom, and where to look; every other rule has a recording name of ours', () => {
  for (const { alert, record, labels, annotations } of rules) {
    if (alert === undefined) {
      expect(record).toMatch(/^scaleproof:\w+:\w+$/);
      continue;
    }
    expect(labels?.severity, alert).toBeDefined();
    expect(annotations, alert).toBeDefined();
  }
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
});

test('every expression of the dashboard is PromQL', ({}, testInfo) => {
  test.skip(promtool.error !== undefined, WITHOUT_PROMTOOL);
  const folder = testInfo.outputPath('expressions');
  mkdirSync(folder, { recursive: true });
  const generated = expressions.map(({ expr }, index) => ({ record: `dashboard:expression:${index}`, expr }));
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'dashboard', rules: generated }] }));
  const { code, output } = runPromtool(['check', 'rules', 'rules.yaml'], folder);
  expect(code, output).toBe(0);
  expect(output).toContain(`SUCCESS: ${expressions.length} rules found`);
});

test('rules and dashboard query only metrics that exist, by labels that they have', () => {
  const known = knownMetrics();
  const asked = [...rules.map(({ alert, record, expr }) => ({ name: alert ?? record ?? '', expr })), ...expressions];
  const wrong = asked.flatMap(({ name: where, expr }) =>
    metricsIn(expr).flatMap(({ name, labels }) => {
      const metric = known.get(name);
      if (metric === undefined) return [`${where}: nothing exports ${name}`];
      const allowed = [...metric.labels, ...SCRAPED, ...(metric.histogram ? ['le'] : [])];
      return labels.filter((label) => !allowed.includes(label)).map((label) => `${where}: ${name} has no label ${label}`);
    }),
  );
  expect(wrong).toEqual([]);
});

test('docs/integrations.md says which alerts also work with the metrics of the reference', () => {
  const reference = referenceMetrics();
  expect(reference.size).toBeGreaterThan(30);
  const page = textOf('docs/integrations.md');
  const missing = alerts.flatMap(({ alert = '', expr }) => {
    const [row] = page.split('\n').filter((line) => line.startsWith(`| \`${alert}\` |`));
    if (row === undefined) return [`${alert} has no row in the table`];
    // The metrics of an alert are in its own expression, or in those of the recorded rules that it uses.
    const bases = allMetricsOf(expr).map((name) => name.replace(/_(bucket|count|sum)$/, (suffix) => (isHistogram(name) ? '' : suffix)));
    const cells = row.split('|').map((cell) => cell.trim());
    const [metrics = '', , byReference = ''] = cells.slice(3);
    const unnamed = [...new Set(bases)].filter((name) => !metrics.includes(`\`${name}\``));
    const exported = bases.some((name) => reference.has(name)) || bases.some((name) => name.startsWith('scaleproof_gate'));
    if (exported === (byReference === 'no')) unnamed.push(`the column of the reference says ${byReference}`);
    return unnamed.map((name) => `${alert}: ${name}`);
  });
  expect(missing).toEqual([]);
});

/** The exported metrics behind an expression: recorded ones are resolved. */
function allMetricsOf(expr: string): string[] {
  return metricsIn(expr).flatMap(({ name }) => {
    const rule = rules.find(({ record }) => record === name);
    return rule === undefined ? [name] : allMetricsOf(rule.expr);
  });
}

function isHistogram(name: string): boolean {
  return karpenter.metrics.some((metric) => metric.type === 'histogram' && name.startsWith(`${metric.name}_`));
}

test('the dashboard has the panels that an operator needs, none overlapping, each with a unit and a description', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const taken = new Set<string>();
  for (const { gridPos, title, type, targets = [], ...panel } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x},${y}`), `${title} overlaps another panel`).toBe(false);
        taken.add(`${x},${y}`);
      }
    if (type === 'row') continue;
    expect(targets.length, title).toBeGreaterThan(0);
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    expect(panel, title).toMatchObject({
      description: expect.stringMatching(/\.$/),
      datasource: { type: 'prometheus', uid: '${datasource}' },
      fieldConfig: { defaults: { unit: expect.any(String) } },
    });
  }
  const all = expressions.map(({ expr }) => expr).join('\n');
  for (const { name } of Object.values(GATE_METRICS)) expect(all).toContain(name);
});
