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

/** Playwright options: `use` in its configuration, or `test.use()`. */
export interface TrialOptions {
  /**
   * The target: a name (`reference`, `karpenter@1.14.1`), or the path of your own file (`./autoscaler.yaml`, `./autoscaler.ts#name`),
   * relative to the folder of Playwright's configuration. Not set by default.
   */
  target: string | undefined;
  /** 1 by default. The same seed gives the same history in virtual time. */
  seed: number;
  /** Number of nodes in scenarios of variable size; 10 by default. */
  nodes: number;
}

/**
 * Runs one trial and judges it. Findings and an unknown verdict are soft failures of the test. A scenario that does not apply to the
 * target skips the test.
 * @param scenario the id of a bundled scenario, or your own scenario with its `module` set
 * @param changes overrides for this trial
 * @throws Error if it can't be run at all
 */
export type RunTrial = (scenario: string | Scenario, changes?: Partial<Pick<TrialOptions, 'seed' | 'nodes'>>) => Promise<TrialResult>;

export interface TrialFixtures {
  readonly runTrial: RunTrial;
  /** The target, resolved and, if it is a version of a program, built. */
  readonly preparedTarget: ChosenTarget;
}

export interface TrialWorkerFixtures {
  /** Runs all trials of a worker in one process, as long as they leave it clean. */
  readonly trialRunner: TrialRunner;
  /** By name, so that a large program is verified only once. */
  readonly preparedTargets: Map<string, Promise<ChosenTarget>>;
}

/** Building a version of a program takes minutes, and workers that want the same one wait for each other. */
const BUILD_LIMIT_MS = 1_800_000;
/** Playwright's default timeout of a test. */
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
      // Trials share a process, so run them one after the other even if the test does not wait for the first.
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
    // The test may have timed out, or Playwright may have been interrupted: end the trial, and still report its results so far.
    over.abort(new Error('the test is over'));
    await Promise.allSettled(running);
  },
});
