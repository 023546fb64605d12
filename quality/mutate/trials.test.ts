import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { planTrials } from '../../harness/run.ts';
import { DEFAULT_LIMITS } from '../../harness/supervisor.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { sources as scenarios } from '../../suites/catalogue.ts';
import { createControlRunner, judgeMutant } from './trials.ts';
import type { TrialSite } from './trials.ts';
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

test('mutants are killed, hang, survive, are not seen, or are not executed', async () => {
  const mutants = [
    planted(0, 'controller/controller.ts', 'provisioner.run()', 'Promise.resolve()'),
    planted(1, 'controller/controller.ts', 'parts.emptiness.sweep()', '(() => { for (;;); })()'),
    planted(2, 'controller/constants.ts', '1 * SECOND_MS', '2 * SECOND_MS'),
    planted(3, 'controller/controller.ts', 'parts.expiry.sweep()', 'Promise.resolve()'),
    planted(5, 'controller/constants.ts', '1 * SECOND_MS', 'SECOND_MS / 1', true),
    planted(4, 'controller/leader.ts', 'clock.sleep(LEASE_RENEW_DEADLINE_MS, released)', 'clock.sleep(0, released)'),
  ];
  const ref = writeWorkplace(mkdtempSync(join(site.folder, 'sources-')), mutants);
  const source = scenarios.find(({ scenario }) => scenario.id === 'scheduling/node-selectors');
  if (source === undefined) throw new Error('there is no such scenario');
  const [trial] = await planTrials(source, { ref, label: './mutated.ts#mutated' }, [1]);
  const runner = createControlRunner(site);
  const control = trial && (await runner.run(trial).finally(() => runner.end()));
  if (control === undefined) throw new Error('there is no control');
  const results = [];
  for (const { id } of mutants) results.push(await judgeMutant(id, [control], site));
  const scenario = 'scheduling/node-selectors';
  expect(results).toMatchObject([
    { outcome: 'killed', scenario },
    { outcome: 'killed', scenario, check: 'target-alive', code: 'hung' },
    { outcome: 'survived', scenarios: [scenario], seen: [{ scenario }] },
    { outcome: 'not-seen', scenarios: [scenario] },
    // It never has another value, so no trial is needed.
    { outcome: 'not-seen', scenarios: [scenario] },
    { outcome: 'not-executed' },
  ]);
});
