import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { scaleproof } from '../cli/testing/command.ts';
import { canSeeProcesses, descendantsOf, isRunning, until } from '../cli/testing/processes.ts';
import { DEFAULT_LIMITS } from '../harness/supervisor.ts';
import { PHASES } from '../history/events.ts';
import { createProject, playwrightReportSchema } from './testing/project.ts';
import type { PlaywrightReport, Project } from './testing/project.ts';

const FILES = {
  'package.json': JSON.stringify({ type: 'module', private: true }),
  'playwright.config.ts': `import { defineConfig } from '@playwright/test';
export default defineConfig({ reporter: 'json', workers: 1 });
`,
  'own.ts': `import { faults, pool, scenario } from 'scaleproof';
const module = import.meta.url;
const pools = [pool('default', { capacityTypes: ['on-demand'] })];
export const burst = scenario({
  module,
  id: 'mine/burst',
  title: 'five pods at once',
  pools,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 5, cpu: '500m', memory: '1Gi' });
    await t.served(web, 'provision');
  },
});
export const vain = scenario({
  module,
  id: 'mine/vain',
  title: 'a fault that never fires',
  pools,
  async run(t) {
    await t.inject(faults.insufficientCapacity({ zones: ['us-east-1b'], errors: 'one' }));
  },
});
export const endless = scenario({
  module,
  id: 'mine/endless',
  title: 'waits for ever',
  pools,
  async run(t) {
    for (;;) await t.pass('explain');
  },
});
`,
  'trials.spec.ts': `import { expect, test } from 'scaleproof/playwright';
import { burst } from './own.ts';

test.describe('reference', () => {
  test.use({ target: 'reference', seed: 5 });
  test('passes twice', async ({ runTrial }) => {
    const [first, second] = await Promise.all([runTrial(burst), runTrial(burst, { seed: 6 })]);
    expect([first, second].map(({ verdict, seed }) => [verdict, seed])).toEqual([['pass', 5], ['pass', 6]]);
  });
});

test.describe('wrong', () => {
  test.use({ target: 'mutant:new-token-on-retry' });
  test('leaks', async ({ runTrial }) => {
    expect((await runTrial('api-pressure/lost-launch-answer')).verdict).toBe('fail');
  });
});
`,
  'without-verdict.spec.ts': `import { test } from 'scaleproof/playwright';
import { burst, endless, vain } from './own.ts';

test('no target', async ({ runTrial }) => void (await runTrial(burst)));

test.describe('reference', () => {
  test.use({ target: 'reference' });
  test('wrong seed', async ({ runTrial }) => void (await runTrial(burst, { seed: -1 })));
  test('unknown', async ({ runTrial }) => void (await runTrial(vain)));
  test('out of time', async ({ runTrial }) => {
    test.setTimeout(8_000);
    await runTrial(endless);
  });
});

test.describe('others', () => {
  test('not run', async ({ runTrial }) => void (await runTrial('interruption/one-warning')));
  test.use({ target: 'plain' });
});
`,
  'endless.spec.ts': `import { test } from 'scaleproof/playwright';
import { endless } from './own.ts';
test.use({ target: 'reference' });
test('endless', async ({ runTrial }) => void (await runTrial(endless)));
`,
};

let project: Project;
test.beforeEach(() => {
  project = createProject(FILES);
});
test.afterEach(async () => project.remove());

interface Result {
  readonly status: string | undefined;
  readonly errors: readonly string[];
  readonly steps: NonNullable<PlaywrightReport['suites'][number]['specs'][number]['tests'][0]['results'][number]['steps']>;
  readonly attachments: readonly { readonly name: string; readonly path?: string | undefined }[];
  readonly notes: readonly (string | undefined)[];
  readonly timeoutMs: number;
}

/** The results of a report's tests, by title. */
function resultsOf(stdout: string): Map<string, Result> {
  const suiteSchema = playwrightReportSchema.shape.suites.element;
  const nested = playwrightReportSchema.extend({
    suites: suiteSchema.extend({ suites: suiteSchema.array().optional() }).array(),
  });
  const { suites } = nested.parse(JSON.parse(stdout));
  const specs = suites.flatMap((suite) => [...suite.specs, ...(suite.suites ?? []).flatMap((inner) => inner.specs)]);
  return new Map(
    specs.map(({ title, tests: [{ annotations, timeout, results }] }) => [
      title,
      {
        status: results[0]?.status,
        errors: results[0]?.errors.map(({ message }) => message) ?? [],
        steps: results[0]?.steps ?? [],
        attachments: results[0]?.attachments ?? [],
        notes: annotations.map(({ description }) => description),
        timeoutMs: timeout,
      },
    ]),
  );
}

/** Runs a file whose tests do not all pass. @returns the result of a test by its title */
async function outcomesOf(file: string): Promise<(title: string) => Result> {
  const { code, stdout, stderr } = await project.run([file]).finished;
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const results = resultsOf(stdout);
  return (title) => {
    const result = results.get(title);
    if (result === undefined) throw new Error(`no test has the title ${title}`);
    return result;
  };
}

test('a trial that passes, and one that fails, are outcomes of their tests', async () => {
  const resultOf = await outcomesOf('trials.spec.ts');

  await test.step('a passed trial has its phases and checks as steps, and its report', async () => {
    const { status, steps, attachments, timeoutMs } = resultOf('passes twice');
    expect(status).toBe('passed');
    expect(timeoutMs).toBe(30_000 + 2 * 5 * DEFAULT_LIMITS.cpuMs);
    const [first, second] = steps.filter(({ title }) => title.startsWith('trial of'));
    expect(first?.title).toBe('trial of ./own.ts#burst, target reference, seed 5');
    expect(second?.title).toBe('trial of ./own.ts#burst, target reference, seed 6');
    const inner = first?.steps?.map(({ title }) => title) ?? [];
    expect(inner.flatMap((title) => /^([\w-]+), from [\d:.]+ of the trial$/.exec(title)?.[1] ?? [])).toEqual(PHASES);
    expect(inner).toContainEqual(expect.stringMatching(/^check success-rate: web: 5 of 5 pods ran in time/));
    expect(attachments.map(({ name }) => name)).toEqual(['report.html', 'history.jsonl', 'report.html', 'history.jsonl']);
    const [page, history] = attachments.map(({ path = '' }) => readFileSync(path, 'utf8'));
    expect(page).toContain('mine/burst');
    expect(history).toMatch(/^\{"i":0,.*\n[^]*"type":"trial.end"\}\n$/);
  });

  await test.step('findings are errors, and the test continues after them', () => {
    const { status, errors, attachments } = resultOf('leaks');
    expect(status).toBe('failed');
    const [error = ''] = errors.filter((message) => message.includes('leaked-instance'));
    expect(error).toMatch(/^Error: leaked-instance instance\/i-/);
    expect(error).toMatch(/\n {2}history: test-results\/\S+\.jsonl, events? \d+/);
    expect(error).toMatch(
      /\n {2}replay: {2}npx scaleproof replay sp1,scenario=api-pressure\/lost-launch-answer@\S+,target=mutant:new-token-on-retry,seed=1,/,
    );
    expect(errors.join('\n')).not.toContain('Expected');
    expect(attachments.map(({ name }) => name)).toEqual(expect.arrayContaining(['report.html', 'history.jsonl']));
  });

  await test.step('a trial leaves a run directory that the command can check', async () => {
    const [name = ''] = readdirSync(join(project.folder, 'test-results')).filter((one) => one.includes('leaks'));
    const checked = await scaleproof(['check', join('test-results', name, 'trial')], project.folder);
    expect(checked.code, checked.stderr).toBe(1);
    expect(checked.stdout).toContain('leaked-instance');
  });
});

test('a trial without a verdict is a failure or a skipped test, with its reason', { tag: '@long' }, async () => {
  const resultOf = await outcomesOf('without-verdict.spec.ts');

  await test.step('without a target the test fails', () => {
    expect(resultOf('no target')).toMatchObject({ status: 'failed', errors: [expect.stringContaining('no target is set')] });
  });

  await test.step('an unknown verdict is a failure with its reason', () => {
    expect(resultOf('unknown')).toMatchObject({ status: 'failed', errors: [expect.stringMatching(/UNKNOWN: faults-fired: [^]*replay: /)] });
  });

  await test.step('a scenario that does not apply to the target is skipped with the reason', () => {
    expect(resultOf('not run')).toMatchObject({ status: 'skipped', notes: [expect.stringMatching(/^not run: .*interruption/)] });
  });

  await test.step('an invalid option is rejected', () => {
    expect(resultOf('wrong seed').errors.join('\n')).toContain('seed must be a whole number, 0 or more');
  });

  await test.step("the user's own timeout ends the trial, and its results so far are reported", () => {
    const { status, errors, attachments, timeoutMs } = resultOf('out of time');
    expect({ status, timeoutMs }).toEqual({ status: 'timedOut', timeoutMs: 8_000 });
    expect(errors.join('\n')).toContain('UNKNOWN: harness: the trial was ended (interrupted)');
    expect(attachments.every(({ path = '' }) => existsSync(path))).toBe(true);
    expect(attachments.map(({ name }) => name)).toEqual(expect.arrayContaining(['report.html', 'history.jsonl']));
  });
});

test('Ctrl-C ends the trial, and nothing is left running', async () => {
  test.skip(!canSeeProcesses, 'finding leftover processes needs /proc');
  const { child, finished } = project.run(['endless.spec.ts']);
  await until('the target is started', () => historyOf(project.folder).includes('"type":"target.start"'));
  const children = descendantsOf(child.pid ?? 0);
  expect(children.length, 'a worker and the process of its trials').toBeGreaterThan(1);
  child.kill('SIGINT');
  const { code } = await finished;
  expect(code).toBe(130);
  await until('no process is left', () => !children.some(isRunning));
  expect(historyOf(project.folder)).toContain('"cause":"interrupted"');
});

function historyOf(folder: string): string {
  const results = join(folder, 'test-results');
  if (!existsSync(results)) return '';
  const [history] = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('mine.endless-seed-1.jsonl'),
  );
  return history === undefined ? '' : readFileSync(join(results, history), 'utf8');
}
