import { expect, test } from '@playwright/test';
import { createParts } from '../../controller/parts.ts';
import { runInProcess } from '../../harness/testing/in-process.ts';
import { suites } from '../../suites/catalogue.ts';
import { createReferenceTarget } from '../reference.ts';
import { unverifiedTermination } from './termination/unverified-termination.ts';
import { deniedTerminationAsGone } from './termination/denied-termination-as-gone.ts';
import { partialSuccessAsFailure } from './launch/partial-success-as-failure.ts';
import { finalizerBeforeTermination } from './termination/finalizer-before-termination.ts';
import { tokenLostInCrash } from './launch/token-lost-in-crash.ts';
import { newTokenOnRetry } from './launch/new-token-on-retry.ts';
import { nodeDeletionLeaksInstance } from './termination/node-deletion-leaks-instance.ts';
import { earlyFinalizerRemoval } from './termination/early-finalizer-removal.ts';
import { timeoutWithoutTermination } from './registration/timeout-without-termination.ts';
import { noCollection } from './no-collection.ts';
import { nodeNameIdentity } from './registration/node-name-identity.ts';
import { nodeObjectRace } from './registration/node-object-race.ts';
import { staleDescribe } from './termination/stale-describe.ts';

/** The reference without garbage collection, but otherwise correct. */
const netless = createReferenceTarget({
  name: 'netless',
  summary: 'the reference without garbage collection',
  makeParts: (context) => ({ ...createParts(context), collector: noCollection }),
});

/** The same, which also ignores messages. */
const deaf = createReferenceTarget({
  name: 'deaf',
  summary: 'the reference without garbage collection and without interruption messages',
  makeParts: (context) => ({
    ...createParts(context),
    collector: noCollection,
    interruption: { handle: () => Promise.resolve(true) },
  }),
});

for (const { target, caughtBy } of [
  newTokenOnRetry,
  nodeObjectRace,
  earlyFinalizerRemoval,
  tokenLostInCrash,
  nodeNameIdentity,
  staleDescribe,
  timeoutWithoutTermination,
  unverifiedTermination,
  finalizerBeforeTermination,
  deniedTerminationAsGone,
  nodeDeletionLeaksInstance,
  partialSuccessAsFailure,
]) {
  for (const seed of [1, 2, 3]) {
    const title = `${target.name} is caught for its bug: the reference without garbage collection passes, with seed ${seed}`;
    test(title, { tag: seed > 1 ? '@long' : [] }, async () => {
      const found = suites.flatMap(({ scenarios }) => scenarios).find(({ scenario }) => scenario.id === caughtBy.scenario);
      if (found === undefined) throw new Error(`there is no scenario ${caughtBy.scenario}`);
      const { judgement } = await runInProcess(found.scenario, target === nodeNameIdentity.target ? deaf : netless, seed);
      const findings = judgement.checks.flatMap((check) => check.findings.map(({ code, message }) => `${code}: ${message}`));
      expect(findings).toEqual([]);
      expect(judgement.verdict).toBe('pass');
    });
  }
}
