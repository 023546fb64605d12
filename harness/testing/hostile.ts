import { spawnSync } from 'node:child_process';
import { reference } from '../../targets/reference.ts';
import type { Target, TargetProcess, TargetSite } from '../../targets/target.ts';
import { quietTarget } from './quiet-target.ts';
import { never } from '../../runtime/clock.ts';

/** Targets that do what no program should: the harness must survive each of them and report what it did. */
function hostile(name: string, start: (site: TargetSite) => TargetProcess): Target {
  return { ...quietTarget(start), name: `hostile-${name}`, features: ['spot'] };
}

/** Ready at once, then does this work. */
function readyThen(work: (site: TargetSite) => Promise<void>): (site: TargetSite) => TargetProcess {
  return (site) => ({ ready: Promise.resolve(), done: site.runtime.clock.sleep(1_000).then(() => work(site)) });
}

export const spins = hostile(
  'spins',
  readyThen(() => {
    for (;;);
  }),
);

/** Blocks the thread in a call that uses no processor time. */
export const waitsForever = hostile(
  'waits-forever',
  readyThen(() => {
    spawnSync('tail', ['-f', '/dev/null']);
    return never();
  }),
);

/** As if an operator had stopped it, with all threads of its process. */
export const stopsForever = hostile(
  'stops-forever',
  readyThen(() => {
    process.kill(process.pid, 'SIGSTOP');
    return never();
  }),
);

/** Its process gets no processor time for three seconds, as on an overloaded machine; then it continues. */
export const getsNoProcessor: Target = {
  ...reference,
  name: 'gets-no-processor',
  start: (site) => {
    spawnSync('sh', ['-c', 'kill -STOP "$PPID"; sleep 3; kill -CONT "$PPID"']);
    return reference.start(site);
  },
};

export const spinsInMicrotasks = hostile(
  'spins-in-microtasks',
  readyThen(async () => {
    for (;;) await Promise.resolve();
  }),
);

export const letsNoTimePass = hostile(
  'lets-no-time-pass',
  readyThen(async (site) => {
    for (;;) await site.runtime.clock.sleep(0);
  }),
);

export const neverAnswers = hostile('never-answers', () => ({ ready: never(), done: never() }));

export const throwsAtStart = hostile('throws-at-start', () => {
  throw new Error('no configuration');
});

export const throwsLater = hostile(
  'throws-later',
  readyThen(() => Promise.reject(new Error('nil map'))),
);

export const panicsAndGoesOn = hostile(
  'panics-and-goes-on',
  readyThen(async (site) => {
    site.runtime.log('panic', 'nil map', { at: 'reconcile' });
    await never();
  }),
);

export const throwsUncaught = hostile(
  'throws-uncaught',
  readyThen(async (site) => {
    void site.runtime.clock.sleep(5).then(() => {
      throw new Error('an uncaught error');
    });
    await never();
  }),
);

export const exits = hostile(
  'exits',
  readyThen(() => process.exit(0)),
);

/** As if Node.js itself had a bug. */
export const crashes = hostile(
  'crashes',
  readyThen(() => {
    process.kill(process.pid, 'SIGSEGV');
    return never();
  }),
);

/** As V8 does for an internal error. */
export const aborts = hostile(
  'aborts',
  readyThen(() => process.abort()),
);

export const eatsMemory = hostile(
  'eats-memory',
  readyThen(async (site) => {
    const eaten: Buffer[] = [];
    for (;;) {
      eaten.push(Buffer.alloc(32 * 2 ** 20, 1));
      await site.runtime.clock.sleep(1);
    }
  }),
);

/** Uses as much as `eatsMemory`, which is killed for it, but declares that it needs it. */
export const eatsWhatItDeclares = { ...eatsMemory, name: 'hostile-eats-what-it-declares', memoryMiB: 900 };

export const eatsHeap = hostile(
  'eats-heap',
  readyThen(() => {
    const eaten: number[][] = [];
    for (;;) eaten.push(new Array<number>(1_000_000).fill(eaten.length + 0.5));
  }),
);

export const floods = hostile(
  'floods',
  readyThen(async (site) => {
    for (;;) {
      const requests = Array.from({ length: 500 }, () => site.kube({ method: 'GET', path: '/api/v1/pods', headers: {} }));
      void Promise.allSettled(requests);
      await site.runtime.clock.sleep(1);
    }
  }),
);

/** Calls itself through its own wire, where no clock records who runs. */
export const spinsOnItsWire = hostile('spins-on-its-wire', (site) => ({
  ready: Promise.resolve(),
  done: (async () => {
    await site.kube({ method: 'GET', path: '/api/v1/pods', headers: {} });
    for (;;);
  })(),
}));

export const spinsAtStart = hostile('spins-at-start', () => {
  for (;;);
});

export const throwsOnItsWire = hostile('throws-on-its-wire', (site) => {
  void site.kube({ method: 'GET', path: '/api/v1/pods', headers: {} }).then(() => {
    throw new Error('another uncaught error');
  });
  return { ready: Promise.resolve(), done: never() };
});

export const failsToApplyPools = {
  ...hostile('fails-to-apply-pools', () => ({ ready: Promise.resolve(), done: never() })),
  applyPools: () => Promise.reject(new Error('no such pool')),
};
