import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Mistake } from '../model/mistake.ts';
import { createRandom } from '../runtime/random.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { reference } from '../targets/reference.ts';
import { EMBEDDED } from '../world/embedded.ts';
import { resolveBounds } from './bounds.ts';
import { checkedTrial } from './checked-trial.ts';
import type { ModuleRef } from './load.ts';
import type { TargetConstants } from '../targets/target.ts';
import type { ActiveFault, Expectations, Scenario, Trial } from './scenario.ts';
import { sourceConditions } from './supervisor.ts';

/** Calls after which a rehearsal ends: a scenario may be meant to go on until something happens that never does here. */
const MAX_CALLS = 10_000;
/** How long the rehearsals of one module may take, once it is loaded. They take milliseconds, or never end. */
const MAX_REHEARSAL_MS = 10_000;
/** What a rehearsal can't know, twice: a mistake that depends on these numbers is left to the trial. */
const GUESSES = [
  { nodes: 10, factor: 1 },
  { nodes: 13, factor: 2 },
] as const;
type Guess = (typeof GUESSES)[number];
/** Offerings of pools: they only decide how long bounds are. */
const OFFERINGS = 9;

/** What the thread reports: that a module is loaded, and at last what was found. */
export type RehearsalMessage = { readonly kind: 'loaded' } | { readonly kind: 'done'; readonly mistake: string | undefined };

/** The rehearsal has gone on for too long. */
class Enough extends Error {}

/**
 * Runs a scenario's code without a world: every call is checked, does nothing and returns at once. If that finds a mistake, it is done
 * again with other numbers of nodes and other constants.
 * @returns the first mistake, if it does not depend on those; undefined if there is none, or if the code fails in any other way, which
 *   may be because nothing happens
 */
export async function rehearse(scenario: Scenario): Promise<string | undefined> {
  const [first, second] = GUESSES;
  const found = await rehearseWith(scenario, first);
  return found === undefined || found === (await rehearseWith(scenario, second)) ? found : undefined;
}

async function rehearseWith(scenario: Scenario, guess: Guess): Promise<string | undefined> {
  const { trial, finish } = checkedTrial(emptyTrial(guess), scenario);
  try {
    await scenario.run(trial);
    finish();
    return undefined;
  } catch (error) {
    return error instanceof Mistake ? error.message : undefined;
  }
}

/**
 * Rehearses scenarios of a user's module in a thread, so that code that never ends or ends its process does no harm.
 * @returns the first mistake; undefined if none was found
 */
export async function rehearseInThread(refs: readonly ModuleRef[]): Promise<string | undefined> {
  const worker = new Worker(new URL(`./rehearsal${extname(import.meta.url)}`, import.meta.url), {
    workerData: refs,
    execArgv: [...sourceConditions(), '--no-warnings'],
    // What it prints is printed again by the trial.
    stdout: true,
    stderr: true,
  });
  const over = new AbortController();
  const clock = createRealTimeline().scope('command');
  const found = new Promise<string | undefined>((resolve) => {
    const giveUp = (): void => resolve(undefined);
    worker.on('message', (message: RehearsalMessage) => {
      if (message.kind === 'done') resolve(message.mistake);
      // Loading it may take long on a busy machine, and ends.
      else void clock.sleep(MAX_REHEARSAL_MS, over.signal).then(giveUp, giveUp);
    });
    worker.once('error', giveUp);
    worker.once('exit', giveUp);
  });
  const mistake = await found;
  over.abort();
  await worker.terminate();
  return mistake;
}

/** A trial in which nothing happens. */
function emptyTrial({ nodes, factor }: Guess): Trial {
  const scaled = Object.entries(reference.constants).map(([name, value]): [string, number] => [name, value * factor]);
  const constants = Object.fromEntries(scaled) as unknown as TargetConstants;
  const bounds = resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes, offerings: OFFERINGS });
  let calls = 0;
  const count = (): void => {
    calls += 1;
    if (calls > MAX_CALLS) throw new Enough();
  };
  const nothing = (): Promise<void> => {
    count();
    return Promise.resolve();
  };
  const active = (): Promise<ActiveFault> => {
    let firings = 0;
    count();
    return Promise.resolve({ id: 'rehearsed', firings: () => (firings += 1), heal: nothing });
  };
  const expectations: Record<keyof Expectations, () => void> = {
    served: count,
    servedUntilNow: count,
    emptied: count,
    idleRemoved: count,
    noLaunchFor: count,
    launchedAtMost: count,
    launchedFrom: count,
    explained: count,
    consolidated: count,
    kept: count,
    neverWithoutNode: count,
    latency: count,
    steadyMemory: count,
  };
  return {
    random: createRandom(1),
    nodes,
    constants,
    lengthMs: (bound) => bounds[bound].value,
    deploy: ({ name = 'web', kind = 'ReplicaSet' }) => nothing().then(() => ({ name, kind })),
    daemonSet: ({ name }) => nothing().then(() => ({ name, kind: 'DaemonSet' })),
    apply: (objects) => nothing().then(() => objects.flatMap(({ workload }) => (workload === undefined ? [] : [workload]))),
    inject: active,
    injectUntilFired: active,
    expect: expectations,
    scale: nothing,
    remove: nothing,
    protect: nothing,
    restartTarget: nothing,
    changePool: nothing,
    rollOut: nothing,
    keepNodes: nothing,
    withdrawPools: nothing,
    served: nothing,
    emptied: nothing,
    kept: nothing,
    consolidated: nothing,
    untilServed: nothing,
    untilFinished: nothing,
    untilEmpty: nothing,
    untilLaunched: nothing,
    untilLeft: nothing,
    untilFired: nothing,
    pass: nothing,
    pause: nothing,
  };
}
