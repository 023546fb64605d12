import { test as base } from '@playwright/test';
import { z } from 'zod';
import { prepareTarget } from '../cli/prepare-targets.ts';
import type { ChosenTarget } from '../cli/choose.ts';
import { createTrialRunner } from '../harness/supervisor.ts';
import type { TrialRunner } from '../harness/supervisor.ts';
import type { Scenario } from '../harness/scenario.ts';
import { shapeProblem } from '../harness/schemas.ts';
import { DEFAULT_NODES } from '../harness/trial-spec.ts';
import type { TrialResult } from '../history/verdict.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { sourceOf, targetOf } from './named.ts';
import { runInTest } from './run-in-test.ts';
import { workerConsole } from './worker-console.ts';

/** Options of Playwright: `use` in its configuration, or `test.use()`. */
export interface TrialOptions {
  /**
   * What is tested: a name (`reference`, `karpenter@1.14.1`), or the path of a file of yours (`./autoscaler.yaml`, `./autoscaler.ts#name`)
   * from the folder of Playwright's configuration. There is none by default.
   */
  target: string | undefined;
  /** 1 by default. The same seed gives the same history in virtual time. */
  seed: number;
  /** Nodes that scenarios of a free size reach; 10 by default. */
  nodes: number;
}

/**
 * Runs one trial and judges it. Findings are soft failures of the test; a verdict that is unknown is one too; a scenario that the target
 * can't be asked for skips the test.
 * @param scenario the id of a bundled one, or one of your own, which names its `module`
 * @param changes for this trial
 * @throws Error where it can't be run at all
 */
export type RunTrial = (scenario: string | Scenario, changes?: Partial<Pick<TrialOptions, 'seed' | 'nodes'>>) => Promise<TrialResult>;

export interface TrialFixtures {
  readonly runTrial: RunTrial;
  /** The target, found and, where it is a version of a program, built. */
  readonly preparedTarget: ChosenTarget;
}

export interface TrialWorkerFixtures {
  /** The process that all trials of a worker run in, as long as they leave it clean. */
  readonly trialRunner: TrialRunner;
  /** By name: a large program is verified once. */
  readonly preparedTargets: Map<string, Promise<ChosenTarget>>;
}

/** Building a version of a program takes minutes, and workers that want the same one wait for each other. */
const BUILD_LIMIT_MS = 1_800_000;
/** Playwright's time-out of a test where nobody set another. */
const UNSET_TIMEOUT_MS = 30_000;

const optionsSchema = z.object({
  seed: z.int('must be a whole number, 0 or more').min(0, 'must be a whole number, 0 or more'),
  nodes: z.int('must be a whole number, 1 or more').min(1, 'must be a whole number, 1 or more'),
});

export const test = base.extend<TrialOptions & TrialFixtures, TrialWorkerFixtures>({
  target: [undefined, { option: true }],
  seed: [1, { option: true }],
  nodes: [DEFAULT_NODES, { option: true }],

  trialRunner: [
    async ({}, use) => {
      const runner = createTrialRunner({ clock: createRealTimeline().scope('runner') });
      await use(runner);
      await runner.end();
    },
    { scope: 'worker' },
  ],
  preparedTargets: [async ({}, use) => use(new Map()), { scope: 'worker' }],

  preparedTarget: [
    async ({ target, preparedTargets }, use, testInfo) => {
      const chosen = targetOf(target, testInfo.config);
      const prepared = preparedTargets.get(chosen.label) ?? prepareTarget(chosen, workerConsole());
      preparedTargets.set(chosen.label, prepared);
      await use(await prepared);
    },
    { timeout: BUILD_LIMIT_MS },
  ],

  runTrial: async ({ trialRunner, preparedTarget, seed, nodes }, use, testInfo) => {
    const over = new AbortController();
    let unsetMs = UNSET_TIMEOUT_MS;
    const allow = (moreMs: number): void => {
      if (testInfo.timeout !== unsetMs) return;
      unsetMs += moreMs;
      testInfo.setTimeout(unsetMs);
    };
    const running: Promise<TrialResult>[] = [];
    const runNext = async (scenario: string | Scenario, options: Pick<TrialOptions, 'seed' | 'nodes'>): Promise<TrialResult> => {
      const number = running.length + 1;
      // They share a process, also where a test does not wait for the first.
      await running.at(-1)?.catch(() => undefined);
      const problem = shapeProblem(optionsSchema, options);
      if (problem !== undefined) throw new Error(problem);
      const source = await sourceOf(scenario);
      const of = { target: preparedTarget, runner: trialRunner, signal: over.signal, number, allow, testInfo };
      return runInTest(source, { ...options, ...of });
    };
    await use((scenario, changes = {}) => {
      const trial = runNext(scenario, { seed, nodes, ...changes });
      running.push(trial);
      return trial;
    });
    // The test may have timed out, or Playwright been interrupted: the trial is ended, and what is known of it is still reported.
    over.abort(new Error('the test is over'));
    await Promise.allSettled(running);
  },
});
