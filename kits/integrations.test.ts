import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from '@playwright/test';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { KITS } from '../cli/init/kits.ts';
import type { Settings } from '../cli/init/kits.ts';
import { renderKit } from '../cli/init/render.ts';
import { faultCatalogue } from '../faults/catalogue.ts';
import { clockSkew } from '../faults/clock-skew.ts';
import { BIN, scaleproofHere, start } from '../cli/testing/command.ts';
import { root } from '../quality/sources.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What users of the kits gate in these tests. */
const GATE = { target: './candidate.yaml', baseline: 'karpenter@1.14.0', manifests: 'deploy/' };

/** A file that `scaleproof init` writes, as `argo/serve.yaml`. */
function written(path: string, given: Settings = GATE): string {
  const [name = '', ...rest] = path.split('/');
  const kit = KITS.find((one) => one.name === name);
  const file = kit && renderKit(kit, given).find(({ to }) => to === rest.join('/'));
  if (file === undefined) throw new Error(`no kit writes ${path}`);
  return file.text;
}

const WORKFLOW = 'github-actions/.github/workflows/scaleproof.yaml';
const GATE_WORKFLOW = written(WORKFLOW);
const RUN_WORKFLOW = written(WORKFLOW, { target: 'karpenter@1.14.1' });

const definitionSchema = z.strictObject({
  source: z.strictObject({
    module: z.string(),
    // A module whose releases Go can't name has a pseudo-version.
    version: z.string().regex(/^v\d+\.\d+\.\d+(-0\.\d{14}-[0-9a-f]{12})?$/),
    file: z.string(),
    definition: z.string(),
    served: z.string(),
    licence: z.literal('Apache-2.0'),
    changes: z.string(),
  }),
  group: z.string(),
  kind: z.string(),
  openAPIV3Schema: z.record(z.string(), z.unknown()),
});
const objectSchema = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

const DEFINITIONS = readdirSync(join(root, 'kits/schemas')).map((name) =>
  definitionSchema.parse(JSON.parse(textOf(`kits/schemas/${name}`))),
);

/** The files of `init chaos-mesh`. */
const CHAOS = (KITS.find(({ name }) => name === 'chaos-mesh')?.files ?? []).map(({ to }) => `chaos-mesh/${to}`);

/**
 * A schema of a CustomResourceDefinition that rejects what an API server would prune: unknown fields. Where the schema preserves
 * unknown fields, as in a pod template, they are allowed.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== 'object') return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] =>
    key === 'properties'
      ? [key, Object.fromEntries(Object.entries(value as object).map(([name, one]) => [name, closed(one)]))]
      : [key, closed(value)],
  );
  const names = new Set(entries.map(([key]) => key));
  const open = !names.has('properties') || names.has('additionalProperties') || names.has('x-kubernetes-preserve-unknown-fields');
  return { ...Object.fromEntries(entries), ...(open ? {} : { additionalProperties: false }) };
}

/** Violations of the definition of an object's kind. */
function errorsOf(object: z.infer<typeof objectSchema>): string[] {
  const definition = DEFINITIONS.find(
    ({ kind, group, source }) => kind === object.kind && `${group}/${source.served}` === object.apiVersion,
  );
  if (definition === undefined) return [`there is no definition of ${object.apiVersion} ${object.kind}`];
  const { openAPIV3Schema } = definition;
  const { properties } = openAPIV3Schema as { properties: Record<string, unknown> };
  // The API server validates metadata itself; the schema only says that it is an object.
  const schema = closed({ ...openAPIV3Schema, properties: { ...properties, metadata: {} } });
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema as object);
  if (validate(object)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`);
}

function objectsOf(path: string): z.infer<typeof objectSchema>[] {
  return parseAllDocuments(written(path)).map((document) => objectSchema.parse(document.toJS()));
}

for (const path of [
  'argo/analysis-template.yaml',
  'argo/job-template.yaml',
  'flagger/canary.yaml',
  'argo/service-monitor.yaml',
  ...CHAOS,
]) {
  test(`${path} is valid by the published definition of its kind`, () => {
    for (const object of objectsOf(path)) expect(errorsOf(object)).toEqual([]);
  });
}

test('the definitions reject an unknown field, a wrong type, an unknown webhook and a missing field', () => {
  const [template] = objectsOf('argo/analysis-template.yaml');
  const [canary] = objectsOf('flagger/canary.yaml');
  const [monitor] = objectsOf('argo/service-monitor.yaml');
  const [delay] = objectsOf('chaos-mesh/network-delay.yaml');
  const [skew] = objectsOf('chaos-mesh/clock-skew.yaml');
  if (template === undefined || canary === undefined || monitor === undefined || delay === undefined || skew === undefined)
    throw new Error('a template is empty');
  const wrong = (object: object, from: string, to: string): z.infer<typeof objectSchema> =>
    objectSchema.parse(JSON.parse(JSON.stringify(object).replace(from, to)));
  for (const broken of [
    wrong(template, '"inconclusiveLimit"', '"inconclusivLimit"'),
    wrong(template, '"timeoutSeconds":10', '"timeoutSeconds":"10s"'),
    wrong(template, '"provider"', '"providers"'),
    wrong(canary, '"type":"rollout"', '"type":"during-rollout"'),
    wrong(canary, '"timeout":"10s"', '"timeout":"soon"'),
    wrong(canary, '"threshold":', '"thresholds":'),
    wrong(monitor, '"interval":"30s"', '"interval":"30 s"'),
    wrong(monitor, '"credentials"', '"credential"'),
    wrong(delay, '"latency":"2s"', '"latency":"2 s"'),
    wrong(delay, '"action":"delay"', '"action":"slow"'),
    wrong(delay, '"namespaces":["kube-system"]', '"namespaces":"kube-system"'),
    wrong(skew, '"timeOffset":', '"timeOffsets":'),
  ])
    expect(errorsOf(broken).length).toBeGreaterThan(0);
});

/** What the manifests of Chaos Mesh have in common. */
const chaosSchema = z.looseObject({
  kind: z.string(),
  metadata: z.strictObject({ name: z.string(), namespace: z.string(), labels: z.strictObject({ 'scaleproof.fault': z.string() }) }),
  spec: z.looseObject({
    action: z.string().optional(),
    mode: z.string(),
    selector: z.strictObject({ namespaces: z.array(z.string()), labelSelectors: z.record(z.string(), z.string()) }),
    direction: z.string().optional(),
    externalTargets: z.array(z.string()).optional(),
    duration: z.string().optional(),
  }),
});

test('Chaos Mesh: each manifest is like a fault of ours, and each fault that names Chaos Mesh has a manifest', () => {
  const like = CHAOS.map((path) => {
    const { kind, metadata, spec } = chaosSchema.parse(parse(written(path)));
    return `${metadata.labels['scaleproof.fault']}: ${kind}${spec.action === undefined ? '' : ` ${spec.action}`}`;
  });
  const named = faultCatalogue.flatMap(({ name, chaosMesh = [] }) => chaosMesh.map((kind) => `${name}: ${kind}`));
  expect(like.sort()).toEqual(named.sort());
});

test('Chaos Mesh: each manifest hits all replicas of the autoscaler and nothing else, and ends by itself', () => {
  for (const path of CHAOS) {
    const { kind, metadata, spec } = chaosSchema.parse(parse(written(path)));
    const { mode, selector, action, direction, externalTargets, duration } = spec;
    expect({ mode, selector }, path).toEqual({
      mode: 'all',
      selector: { namespaces: [metadata.namespace], labelSelectors: { 'app.kubernetes.io/name': 'karpenter' } },
    });
    // A kill is over at once.
    if (action === 'pod-kill') expect(duration, path).toBeUndefined();
    else expect(duration, path).toMatch(/^\d+m$/);
    // What the webhook of Chaos Mesh refuses, and the schema does not (v1alpha1/networkchaos_webhook.go).
    if (kind === 'NetworkChaos' && action !== 'partition') expect({ direction, externalTargets }, path).toEqual({ direction: 'to' });
  }
});

test('Chaos Mesh: the clock is skewed by less than what AWS refuses', () => {
  const { spec } = z.looseObject({ spec: z.looseObject({ timeOffset: z.string() }) }).parse(parse(written('chaos-mesh/clock-skew.yaml')));
  const [, minutes = ''] = /^(\d+)m$/.exec(spec.timeOffset) ?? [];
  expect(clockSkew({ byMs: Number(minutes) * 60_000 }).legal).toBe(true);
});

const metricSchema = z.looseObject({
  name: z.string(),
  provider: z.looseObject({
    web: z.looseObject({ url: z.string(), method: z.string().optional(), jsonPath: z.string(), timeoutSeconds: z.number() }),
  }),
});

/** The timeout of every kit: in real time a gate takes most of a day. */
const MINUTES_OF_A_GATE = 24 * 60;

test('the timeout of every kit is long enough for a gate in real time', () => {
  const [job] = objectsOf('argo/job-template.yaml');
  const [canary] = objectsOf('flagger/canary.yaml');
  const spec = { activeDeadlineSeconds: MINUTES_OF_A_GATE * 60 };
  expect(job).toMatchObject({ spec: { metrics: [{ provider: { job: { spec } } }] } });
  expect(canary).toMatchObject({ spec: { progressDeadlineSeconds: MINUTES_OF_A_GATE * 60 } });
});

test('Argo Rollouts: a pass continues, a fail aborts, and an inconclusive gate pauses', () => {
  const [template] = objectsOf('argo/analysis-template.yaml');
  const metrics = z.array(metricSchema).parse((template?.['spec'] as { metrics: unknown }).metrics);
  const [begun, verdict] = metrics;
  expect(begun).toMatchObject({ provider: { web: { method: 'POST', url: '{{args.url}}/v1/gates', jsonPath: '{$.status}' } } });
  expect(begun).toMatchObject({ provider: { web: { jsonBody: { candidateVersion: '{{args.candidate-version}}' } } } });
  expect(verdict).toMatchObject({
    successCondition: 'result.verdict == "pass"',
    failureCondition: 'result.verdict == "fail"',
    failureLimit: 0,
    // The first verdict ends the measurement. Without a count it would run forever, with one it would succeed at the end.
    consecutiveSuccessLimit: 1,
    inconclusiveLimit: MINUTES_OF_A_GATE,
    provider: { web: { url: '{{args.url}}/v1/verdict?key={{args.key}}', jsonPath: '{$.result}' } },
  });
  expect(verdict).not.toHaveProperty('count');
});

const webhookSchema = z.looseObject({
  type: z.string(),
  url: z.string(),
  timeout: z.string(),
  metadata: z.record(z.string(), z.string()).optional(),
});

test('Flagger: each hook calls its own path, within its timeout of 10 seconds, with the metadata that the gate needs', () => {
  const [canary] = objectsOf('flagger/canary.yaml');
  const { webhooks } = (canary?.['spec'] as { analysis: { webhooks: unknown } }).analysis;
  const hooks = z.array(webhookSchema).parse(webhooks);
  expect(hooks.map(({ type }) => type)).toEqual(['pre-rollout', 'rollout', 'confirm-promotion', 'rollback', 'post-rollout', 'event']);
  for (const { type, url, timeout, metadata } of hooks) {
    expect(new URL(url).pathname).toBe(`/flagger/${type}`);
    expect(new URL(url).port).toBe('9797');
    expect(timeout).toBe('10s');
    if (type !== 'event') expect(Object.keys(metadata ?? {})).toEqual(['baseline', 'candidate', 'candidateVersion', 'token']);
  }
});

test('serve.yaml: the names, ports and secrets that the other manifests refer to, and no permissions', () => {
  const objects = objectsOf('argo/serve.yaml');
  expect(objects.map(({ kind }) => kind)).toEqual(['Namespace', 'Deployment', 'PersistentVolumeClaim', 'Service']);
  const text = written('argo/serve.yaml');
  const service = objects.find(({ kind }) => kind === 'Service');
  expect(service).toMatchObject({ metadata: { name: 'scaleproof', namespace: 'scaleproof' }, spec: { ports: [{ port: 9797 }] } });
  for (const path of ['argo/analysis-template.yaml', 'flagger/canary.yaml'])
    expect(written(path)).toContain('http://scaleproof.scaleproof.svc:9797');
  expect(written('argo/analysis-template.yaml')).toContain('{ name: scaleproof-token, key: token }');
  expect(text).toContain('{ name: scaleproof-token, key: token }');
  expect(text).toContain('automountServiceAccountToken: false');
  // The service rejects a request that names a different version.
  expect(text).toContain('--candidate-version=registry.example.com/autoscaler:1.1.0');
  expect(written('flagger/canary.yaml')).toContain('candidateVersion: registry.example.com/autoscaler:1.1.0');
});

test('the image of the service builds the versions that are built, and needs no Go without them', () => {
  const files = { target: './new.yaml', baseline: './old.yaml' };
  expect(written('argo/Dockerfile', files)).not.toContain('golang');
  const [go, ...steps] = written('argo/Dockerfile', { target: 'karpenter@1.14.1', baseline: 'karpenter@1.14.0' })
    .split('\n')
    .filter((line) => /golang|target build/.test(line));
  expect(go).toMatch(/^COPY --from=golang:/);
  expect(steps.map((step) => step.split(' ').at(-1))).toEqual(['karpenter@1.14.0', 'karpenter@1.14.1']);
});

test('service-monitor.yaml: the service is scraped on its port, with its token; an annotation would scrape without the token', () => {
  const [monitor] = objectsOf('argo/service-monitor.yaml');
  const service = objectsOf('argo/serve.yaml').find(({ kind }) => kind === 'Service');
  expect(monitor).toMatchObject({
    metadata: { namespace: service?.metadata['namespace'] },
    spec: {
      selector: { matchLabels: service?.metadata['labels'] },
      endpoints: [
        { port: 'http', path: '/metrics', authorization: { type: 'Bearer', credentials: { name: 'scaleproof-token', key: 'token' } } },
      ],
    },
  });
  expect(written('argo/serve.yaml')).not.toContain('prometheus.io/');
});

/** A third-party action has to be pinned to the reviewed commit: tags move. */
const usesSchema = z.string().regex(/^[\w-]+\/[\w-]+(\/[\w-]+)?@[0-9a-f]{40}$/);
const stepSchema = z
  .strictObject({
    name: z.string().optional(),
    id: z.string().optional(),
    if: z.string().optional(),
    uses: usesSchema.optional(),
    with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    run: z.string().optional(),
    env: z.record(z.string(), z.string()).optional(),
    shell: z.literal('bash').optional(),
    'working-directory': z.string().optional(),
  })
  .refine(({ uses, run }) => (uses === undefined) !== (run === undefined), 'a step either uses or runs');
/** The keys of GitHub's workflow syntax that ours uses; the registry has no schema under a licence that we can use. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    pull_request: z.null(),
    schedule: z.array(z.strictObject({ cron: z.string().regex(/^\d+ \d+ \S+ \S+ \S+$/) })),
    workflow_dispatch: z
      .strictObject({ inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })) })
      .nullable(),
  }),
  permissions: z.strictObject({ contents: z.literal('read'), 'pull-requests': z.literal('write') }),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.boolean() }),
  env: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      needs: z.string().optional(),
      if: z.literal('${{ !cancelled() }}').optional(),
      'runs-on': z.literal('ubuntu-24.04'),
      'timeout-minutes': z.number().int().positive(),
      strategy: z.strictObject({ 'fail-fast': z.boolean(), matrix: z.strictObject({ shard: z.array(z.number()) }) }).optional(),
      steps: z.array(stepSchema),
    }),
  ),
});
/** The keys of GitHub's action metadata that ours uses. */
const actionSchema = z.strictObject({
  name: z.string(),
  description: z.string().max(125),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(
    z.string(),
    z.union([
      z.strictObject({ description: z.string(), default: z.string() }),
      z.strictObject({ description: z.string(), required: z.literal(true) }),
    ]),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(stepSchema) }),
});

/** Expressions in scripts: they would run the text of a branch name or an input as code. */
function injections(steps: readonly z.infer<typeof stepSchema>[]): string[] {
  return steps.flatMap(({ run = '' }) => (run.includes('${{') ? [run] : []));
}

const workflowOf = (text: string): z.infer<typeof workflowSchema> => workflowSchema.parse(parse(text));
const stepsOf = (text: string): z.infer<typeof stepSchema>[] => Object.values(workflowOf(text).jobs).flatMap(({ steps }) => steps);

for (const [what, text, last] of [
  ['with a baseline', GATE_WORKFLOW, 'gate'],
  ['without a baseline', RUN_WORKFLOW, 'report'],
] as const) {
  test(`the workflow ${what} has as many shards as it says, and a job that merges them`, () => {
    const { jobs, env } = workflowOf(text);
    const { run, [last]: merging } = jobs;
    expect(run?.strategy?.matrix.shard).toEqual(Array.from({ length: Number(env['SHARDS']) }, (_, index) => index + 1));
    expect(run?.strategy?.['fail-fast']).toBe(false);
    expect(merging?.needs).toBe('run');
    expect(stepsOf(text).filter(({ run: script }) => script?.includes('scaleproof merge shards/* --out'))).toHaveLength(1);
  });
}

test('the workflow without a baseline says how to turn the gate on', () => {
  const { jobs } = workflowOf(RUN_WORKFLOW);
  expect(RUN_WORKFLOW).toContain('npx scaleproof init github-actions --target karpenter@1.14.1 --baseline VERSION --force\n');
  expect(Object.keys(jobs)).toEqual(['run', 'report']);
});

test('the workflow with a baseline gates the target against it, over the manifests', () => {
  const { jobs, env } = workflowOf(GATE_WORKFLOW);
  expect(Object.keys(jobs)).toEqual(['run', 'gate']);
  expect(env).toMatchObject({ TARGET: GATE.target, BASELINE: GATE.baseline, MANIFESTS: GATE.manifests });
  const gate = stepsOf(GATE_WORKFLOW).find(({ run }) => run?.includes('scaleproof gate'));
  expect(gate).toMatchObject({ env: { GOTOOLCHAIN: 'auto' } });
  expect(gate).not.toHaveProperty('if');
});

for (const [what, text, directory] of [
  ['with a baseline', GATE_WORKFLOW, 'gate'],
  ['without a baseline', RUN_WORKFLOW, 'run'],
] as const) {
  test(`the workflow ${what} says in its jobs' names what it tests, and runs no expression as a script`, () => {
    const { jobs, env } = workflowOf(text);
    for (const { name } of Object.values(jobs)) expect(name).toContain(env['TESTED'] ?? 'nothing');
    expect(env['TESTED']).toContain(env['TARGET']);
    expect(injections(stepsOf(text))).toEqual([]);
    const said = stepsOf(text).find(({ name }) => name === 'Say what is tested');
    expect(said?.run).toMatch(/"\$TESTED" >> "\$GITHUB_STEP_SUMMARY"$/);
  });

  test(`the workflow ${what} keeps Go's caches and the directory, and comments, also after a failure`, () => {
    const steps = stepsOf(text);
    const using = (action: string): typeof steps => steps.filter(({ uses }) => uses?.startsWith(`${action}@`));
    expect(using('actions/setup-go')).toHaveLength(1);
    const [restored] = using('actions/cache/restore');
    const [saved] = using('actions/cache/save');
    for (const folder of ['~/.cache/scaleproof', '~/.cache/go-build', '~/go/pkg/mod'])
      for (const step of [restored, saved]) expect(String(step?.with?.['path']).split('\n')).toContain(folder);
    expect(saved?.if).toMatch(/^always\(\)/);
    expect(using('actions/upload-artifact').map(({ if: when }) => when)).not.toContain(undefined);
    const comment = steps.find(({ run }) => run?.includes('gh pr comment'));
    expect(comment).toMatchObject({ if: 'always()', run: expect.stringContaining(`report --github-comment ${directory} `) });
  });
}

/** Programs that write down how they were called: `npx` also prints a report, or fails as without a directory. */
function fakesIn(folder: string, npx: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries({ npx, gh: 'true' })) {
    const text = `#!/bin/bash\nprintf '%s\\n' "${name} $*" >> "$CALLS"\n${script}\n`;
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
}

/** Runs a step of a workflow as GitHub does, with programs in place of `npx` and `gh`. */
async function runWith(
  step: z.infer<typeof stepSchema> | undefined,
  { folder, npx, environment }: { readonly folder: string; readonly npx: string; readonly environment: Readonly<Record<string, string>> },
): Promise<{ code: number | undefined; calls: string[]; summary: string }> {
  fakesIn(folder, npx);
  const [calls, summary] = [join(folder, 'calls'), join(folder, 'summary')];
  for (const path of [calls, summary]) writeFileSync(path, '');
  const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, CALLS: calls, GITHUB_STEP_SUMMARY: summary, ...environment };
  const { code } = await start('bash', ['-e', '-c', step?.run ?? 'false'], folder, env).finished;
  return { code, calls: readFileSync(calls, 'utf8').trim().split('\n'), summary: readFileSync(summary, 'utf8') };
}

test('the gate of the workflow is called with both versions and the manifests, if there are any', async ({}, testInfo) => {
  const step = stepsOf(GATE_WORKFLOW).find(({ run }) => run?.includes('scaleproof gate'));
  const folder = testInfo.outputPath('step');
  const versions = { TARGET: 'karpenter@1.14.1', BASELINE: 'karpenter@1.14.0', SHARD: '2', SHARDS: '4' };
  const call =
    'npx --no scaleproof gate --baseline karpenter@1.14.0 --candidate karpenter@1.14.1 --accept-existing --shard 2/4 --out shard';
  const withManifests = await runWith(step, { folder, npx: 'exit 3', environment: { ...versions, MANIFESTS: 'my deploy' } });
  expect(withManifests).toMatchObject({ code: 3, calls: [`${call} --manifests my deploy`] });
  expect((await runWith(step, { folder, npx: 'true', environment: { ...versions, MANIFESTS: '' } })).calls).toEqual([call]);
});

test('the comment says what was tested, goes to the summary, and to the pull request unless it is from a fork', async ({}, testInfo) => {
  const step = stepsOf(GATE_WORKFLOW).find(({ run }) => run?.includes('gh pr comment'));
  const folder = testInfo.outputPath('step');
  const environment = { TESTED: 'karpenter@1.14.1', PULL_REQUEST: '7', MAY_COMMENT: 'true' };
  const commented = await runWith(step, { folder, npx: 'echo "it is fine"', environment });
  expect(commented).toEqual({
    code: 0,
    calls: ['npx --no scaleproof report --github-comment gate', 'gh pr comment 7 --edit-last --create-if-none --body-file comment.md'],
    summary: 'it is fine\n\nTested: `karpenter@1.14.1`\n',
  });
  const fork = await runWith(step, { folder, npx: 'exit 2', environment: { ...environment, MAY_COMMENT: 'false' } });
  expect(fork).toMatchObject({ code: 0, summary: expect.stringContaining('no result') });
  expect(fork.calls.filter((call) => call.startsWith('gh'))).toEqual([]);
});

test('action.yml has pinned actions, uses bash and exactly its inputs, and has no expression in a script', () => {
  const text = textOf('action.yml');
  const { inputs, runs } = actionSchema.parse(parse(text));
  const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name = '']) => name));
  expect([...used].sort()).toEqual(Object.keys(inputs).sort());
  expect(injections(runs.steps)).toEqual([]);
  for (const { run, shell } of runs.steps) expect(shell).toBe(run === undefined ? undefined : 'bash');
  const ids = new Set(runs.steps.flatMap(({ id }) => (id === undefined ? [] : [id])));
  for (const [, id = ''] of text.matchAll(/steps\.([\w-]+)\./g)) expect([...ids]).toContain(id);
});

/** Runs the script of a step of the action as GitHub does. @returns its exit code, what it printed, and its outputs */
async function runStep(
  id: string,
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<{ code: number | undefined; outputs: string }> {
  const { runs } = actionSchema.parse(parse(textOf('action.yml')));
  const script = runs.steps.find((step) => step.id === id)?.run ?? '';
  const output = join(folder, 'output');
  writeFileSync(output, '');
  const env = { PATH: process.env['PATH'] ?? '', GITHUB_OUTPUT: output, RUNNER_TEMP: folder, ...environment };
  const { code } = await start('bash', ['-eo', 'pipefail', '-c', script], folder, env).finished;
  return { code, outputs: readFileSync(output, 'utf8') };
}

test('action.yml: fail takes precedence over unknown over pass, and a run without a verdict is unknown', async ({}, testInfo) => {
  const folder = testInfo.outputPath('step');
  mkdirSync(folder, { recursive: true });
  for (const [RUN, GATE, code] of [
    ['0', '0', 0],
    ['0', '1', 1],
    ['1', '3', 1],
    ['3', '1', 1],
    ['3', '0', 3],
    ['0', '3', 3],
    ['', '0', 3],
  ] as const)
    expect(await runStep('judge', { RUN, GATE }, folder)).toEqual({ code, outputs: `exit-code=${code}\n` });
});

test('action.yml: merging shards that are no gate has no verdict if a gate was asked for', async ({}, testInfo) => {
  const folder = testInfo.outputPath('step');
  mkdirSync(join(folder, 'run'), { recursive: true });
  writeFileSync(join(folder, 'merges.js'), '');
  const environment = { COMMAND: join(folder, 'merges.js'), DIRECTORY: join(folder, 'run'), PARTS: folder, BASELINE: './befor' };
  const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const merge = (GATE: string) => runStep('merge', { ...environment, PATH, GATE }, folder);
  expect(await merge('targets')).toMatchObject({ code: 2 });
  expect(await merge('runs')).toEqual({ code: 0, outputs: 'exit-code=0\n' });
  writeFileSync(join(folder, 'run/gate.json'), '{}');
  expect(await merge('targets')).toMatchObject({ code: 0 });
});

test('action.yml: the summary says what is tested, and warns about a bundled autoscaler', async ({}, testInfo) => {
  const folder = testInfo.outputPath('step');
  mkdirSync(folder, { recursive: true });
  const summary = join(folder, 'summary');
  const inputs = { COMMAND: BIN, GITHUB_STEP_SUMMARY: summary, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const summaryFor = async (target: Readonly<Record<string, string>>): Promise<string> => {
    writeFileSync(summary, '');
    expect(await runStep('say', { ...inputs, BASELINE: '', MANIFESTS: '', ...target }, folder)).toMatchObject({ code: 0 });
    return readFileSync(summary, 'utf8');
  };
  expect(await summaryFor({ TARGET: 'karpenter@1.14.1', BASELINE: 'karpenter@1.14.0', MANIFESTS: 'deploy' })).toBe(
    '## Scaleproof tests `karpenter@1.14.1 against karpenter@1.14.0 over the manifests in deploy`\n',
  );
  expect(await summaryFor({ TARGET: 'reference' })).toContain('`reference` is bundled with Scaleproof: it is not your autoscaler');
});

test('action.yml: a shard uploads its part, a whole run its report, and wrong inputs are rejected', async ({}, testInfo) => {
  const folder = testInfo.outputPath('step');
  mkdirSync(folder, { recursive: true });
  const inputs = {
    ...{ MODE: 'run', TARGET: 'karpenter@1.14.1', BASELINE: '', MANIFESTS: '', SUITE: '', STRICT: 'false', ACCEPT: 'true' },
    ...{ SHARD: '2', SHARDS: '4', NAME: 'conformance' },
  };
  const shard = await runStep('where', inputs, folder);
  expect(shard).toMatchObject({ code: 0, outputs: expect.stringMatching(/artifact=conformance-shard-2\nwhole=false\n/) });
  for (const whole of [{ SHARD: '1', SHARDS: '1' }, { MODE: 'merge' }]) {
    const { outputs } = await runStep('where', { ...inputs, ...whole }, folder);
    expect(outputs).toMatch(/artifact=conformance-report\nwhole=true\n/);
  }
  const target = { BASELINE: 'karpenter@1.14.0', SHARD: '1', SHARDS: '1' };
  for (const chosen of [
    {},
    { SHARDS: '4' },
    { MODE: 'merge', SHARDS: '4' },
    { SUITE: 'capacity' },
    { STRICT: 'true', MANIFESTS: './deploy' },
  ])
    expect((await runStep('where', { ...inputs, ...target, ...chosen }, folder)).outputs).toMatch(/^gate=targets$/m);
  mkdirSync(join(folder, 'before'), { recursive: true });
  writeFileSync(join(folder, 'before/run.json'), '{}');
  expect((await runStep('where', { ...inputs, BASELINE: './before' }, folder)).outputs).toMatch(/^gate=runs$/m);
  const own = join(folder, 'conformance/run');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'run.json'), '{}');
  expect(await runStep('where', { ...inputs, BASELINE: own }, folder)).toEqual({ code: 2, outputs: '' });
  expect(existsSync(join(own, 'run.json')), 'a baseline is never deleted').toBe(true);
  for (const wrong of [
    { TARGET: '' },
    { MODE: 'both' },
    { SHARD: '0' },
    { SHARDS: '4; id' },
    { NAME: '../elsewhere' },
    { NAME: '' },
    { STRICT: 'yes' },
    { STRICT: 'true' },
  ])
    expect(await runStep('where', { ...inputs, ...wrong }, folder)).toEqual({ code: 2, outputs: '' });
});

test('the commands of workflow, action and manifests exist', async () => {
  const texts = [textOf('action.yml'), GATE_WORKFLOW, RUN_WORKFLOW].join('\n');
  const calls = [...texts.matchAll(/(?:npx --no scaleproof|node "\$COMMAND") ([a-z]+)(.*)/g)];
  const manifests = ['argo/job-template.yaml', 'argo/serve.yaml'].flatMap((path) => [
    ...written(path).matchAll(/args:\n +- ([a-z]+)\n((?: +- .*\n)+)/g),
  ]);
  // Flags that the action collects beforehand.
  const collected = [...texts.matchAll(/flags\+?=\((.*)\)/g)].map(([, flags = '']) => flags);
  expect([...calls, ...manifests].map(([, name]) => name)).toEqual(expect.arrayContaining(['run', 'merge', 'report', 'gate', 'serve']));
  const wrong: string[] = [];
  for (const [, name = '', rest = ''] of [...calls, ...manifests]) {
    const { stdout } = await scaleproofHere([name, '--help']);
    if (!stdout.startsWith(`Usage: scaleproof ${name} `)) wrong.push(`${name} is not a command`);
    else wrong.push(...flagsIn(rest).flatMap((flag) => (stdout.includes(flag) ? [] : [`${name} ${flag}`])));
  }
  const { stdout: run } = await scaleproofHere(['run', '--help']);
  const { stdout: gate } = await scaleproofHere(['gate', '--help']);
  wrong.push(...flagsIn(collected.join(' ')).filter((flag) => !`${run}${gate}`.includes(flag)));
  expect(wrong).toEqual([]);
});

function flagsIn(text: string): string[] {
  return [...text.matchAll(/--[a-z][\w-]*/g)].map(([flag]) => flag);
}
