import { expect, test } from '@playwright/test';
import { createParts } from '../../controller/parts.ts';
import { runInProcess } from '../../harness/testing/in-process.ts';
import { suites } from '../../suites/catalogue.ts';
import { createReferenceTarget } from '../reference.ts';
import { believedEnd } from './termination/believed-end.ts';
import { deniedEnd } from './termination/denied-end.ts';
import { errorsFirst } from './launch/errors-first.ts';
import { finalizerFirst } from './termination/finalizer-first.ts';
import { forgetfulToken } from './launch/forgetful-token.ts';
import { freshToken } from './launch/fresh-token.ts';
import { halfDeletion } from './termination/half-deletion.ts';
import { hastyFinalizer } from './termination/hasty-finalizer.ts';
import { hastyTimeout } from './registration/hasty-timeout.ts';
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
  freshToken,
  nodeObjectRace,
  hastyFinalizer,
  forgetfulToken,
  nodeNameIdentity,
  staleDescribe,
  hastyTimeout,
  believedEnd,
  finalizerFirst,
  deniedEnd,
  halfDeletion,
  errorsFirst,
]) {
  test(`${target.name} is caught for its bug: the reference without garbage collection passes`, async () => {
    const found = suites.flatMap(({ scenarios }) => scenarios).find(({ scenario }) => scenario.id === caughtBy.scenario);
    if (found === undefined) throw new Error(`there is no scenario ${caughtBy.scenario}`);
    for (const seed of [1, 2, 3]) {
      const { judgement } = await runInProcess(found.scenario, target === nodeNameIdentity.target ? deaf : netless, seed);
      const findings = judgement.checks.flatMap((check) => check.findings.map(({ code, message }) => `${code}: ${message}`));
      expect(findings, `seed ${seed}`).toEqual([]);
      expect(judgement.verdict, `seed ${seed}`).toBe('pass');
    }
  });
}
