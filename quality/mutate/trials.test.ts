import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { planTrials } from '../../harness/run.ts';
import { DEFAULT_LIMITS } from '../../harness/supervisor.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { sources as scenarios } from '../../suites/catalogue.ts';
import { createControlRunner, judgeMutant } from './trials.ts';
import type { Control, TrialSite } from './trials.ts';
import type { Mutant } from './draw.ts';
import { planted } from './testing/planted.ts';
import { writeWorkplace } from './workplace.ts';

let site: TrialSite;
test.beforeEach(() => {
  site = {
    folder: mkdtempSync(join(tmpdir(), 'scaleproof-trials-')),
    clock: createRealTimeline().scope('test'),
    signal: new AbortController().signal,
    limits: { ...DEFAULT_LIMITS, turnCpuMs: 2_000 },
  };
});
test.afterEach(() => rmSync(site.folder, { recursive: true }));

async function controlOf(id: string, mutants: readonly Mutant[], seeds: readonly number[]): Promise<Control> {
  const ref = writeWorkplace(mkdtempSync(join(site.folder, 'sources-')), mutants);
  const source = scenarios.find(({ scenario }) => scenario.id === id);
  if (source === undefined) throw new Error('there is no such scenario');
  const [first, ...others] = await planTrials(source, { ref, label: './mutated.ts#mutated' }, seeds);
  const runner = createControlRunner(site);
  const control = first && (await runner.run({ first, others }).finally(() => runner.end()));
  if (control === undefined) throw new Error('there is no control');
  return control;
}

test('mutants are killed, hang, survive, are not seen, or are not executed', async () => {
  const mutants = [
    planted(0, 'controller/controller.ts', 'provisioner.run()', 'Promise.resolve()'),
    planted(1, 'controller/controller.ts', 'parts.emptiness.sweep()', '(() => { for (;;); })()'),
    planted(2, 'controller/constants.ts', '1 * SECOND_MS', '2 * SECOND_MS'),
    planted(3, 'controller/controller.ts', 'parts.expiry.sweep()', 'Promise.resolve()'),
    planted(4, 'controller/leader.ts', 'clock.sleep(LEASE_RENEW_DEADLINE_MS, released)', 'clock.sleep(0, released)'),
  ];
  const scenario = 'scheduling/node-selectors';
  const control = await controlOf(scenario, mutants, [1]);
  const results = [];
  for (const { id } of mutants) results.push(await judgeMutant(id, [control], site));
  expect(results).toMatchObject([
    { outcome: 'killed', scenario },
    { outcome: 'killed', scenario, check: 'target-alive', code: 'hung' },
    { outcome: 'survived', scenarios: [scenario], seen: [{ scenario }] },
    { outcome: 'not-seen', scenarios: [scenario] },
    { outcome: 'not-executed' },
  ]);
});

test('no trial is needed where a mutant never has another value, unless it is to be killed at its side effects', async () => {
  const mutant = planted(0, 'controller/controller.ts', 'provisioner.run()', 'Promise.resolve()');
  const scenario = 'scheduling/node-selectors';
  const control = { ...(await controlOf(scenario, [mutant], [1])), differing: new Set<number>() };
  expect(await judgeMutant(0, [control], site)).toEqual({ outcome: 'not-seen', scenarios: [scenario] });
  expect(await judgeMutant(0, [control], { ...site, crashed: new Set([scenario]) })).toMatchObject({ outcome: 'killed', scenario });
});

test('a mutant that is seen and not killed runs with further seeds', async () => {
  const taints = 'hasHadAll ? [] : (claim.spec.startupTaints ?? [])';
  const mutant = planted(0, 'controller/lifecycle/registrar.ts', taints, `!${taints}`);
  const scenario = 'pools/startup-taints-removed-early';
  const [alone, seeded] = [await controlOf(scenario, [mutant], [1]), await controlOf(scenario, [mutant], [1, 2, 3, 4])];
  expect(await judgeMutant(0, [alone], site)).toMatchObject({ outcome: 'survived', seen: [{ scenario }] });
  const killed = await judgeMutant(0, [seeded], site);
  expect(killed).toMatchObject({ outcome: 'killed', scenario, check: 'success-rate' });
  expect([2, 3, 4]).toContain(killed?.outcome === 'killed' && killed.seed);
});
