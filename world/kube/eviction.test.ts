import { expect, test } from '@playwright/test';
import { PODS, pod, withServer } from './testing/api-server.ts';
import type { Bench, Reply } from './testing/api-server.ts';

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const LABELS = { app: 'web' };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

/** Creates a pod on a node, and a budget for it with a status as its controller would write it. */
async function setUp({ call, merge }: Bench, status: object, budget: object = {}, podStatus: object = READY): Promise<void> {
  await call('POST', PODS, pod('web', { nodeName: 'n1' }, { labels: LABELS }));
  await merge(`${PODS}/web/status`, { status: podStatus });
  const { body } = await call('POST', BUDGETS, {
    metadata: { name: 'b' },
    spec: { selector: { matchLabels: LABELS }, minAvailable: 1, ...budget },
  });
  expect(body.status).toEqual({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
  await merge(`${BUDGETS}/b/status`, { status: { observedGeneration: 1, ...status } });
}

async function evict({ call }: Bench, deleteOptions: object = {}, query = ''): Promise<Reply> {
  return await call('POST', `${PODS}/web/eviction${query}`, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: 'web' },
    deleteOptions,
  });
}

test('an eviction uses up a disruption, and the budget shows when none is left', async () => {
  await withServer(async (bench) => {
    await setUp(bench, { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 });
    expect(await evict(bench, {}, '?dryRun=All')).toMatchObject({ status: 201, effect: { kind: 'none' } });
    expect((await evict(bench)).effect).toEqual({ kind: 'applied', ids: ['poddisruptionbudgets/default/b', 'pods/default/web'] });
    const { body } = await bench.call('GET', `${BUDGETS}/b`);
    expect(body.status).toEqual({
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
      disruptedPods: { web: '2026-01-01T00:00:00Z' },
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'InsufficientPods',
          message: '',
        },
      ],
    });
    // A pod that is already terminating costs nothing.
    expect((await evict(bench)).status).toBe(201);
  });
});

const refusals: {
  what: string;
  status: object;
  budget?: object;
  pod?: object;
  code: number;
  message: string;
  details?: object;
}[] = [
  {
    what: 'an exhausted budget',
    status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' }] },
  },
  {
    what: 'a budget whose controller has not seen its last change',
    status: { observedGeneration: 0, disruptionsAllowed: 1 },
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b is still being processed by the server.' }],
      retryAfterSeconds: 10,
    },
  },
  {
    what: 'an unready pod of a budget without healthy ones',
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1 },
    pod: UNREADY,
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 0 currently' }] },
  },
];

for (const { what, status, budget, pod: podStatus, code, message, details } of refusals) {
  test(`refused: ${what}`, async () => {
    await withServer(async (bench) => {
      await setUp(bench, status, budget, podStatus);
      const refused = await evict(bench);
      expect(refused).toMatchObject({ status: code, effect: { kind: 'rejected', code: 'TooManyRequests' } });
      expect(refused.body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message,
        reason: 'TooManyRequests',
        details,
        code,
      });
      expect(refused.headers['retry-after']).toBe(code === 429 && 'retryAfterSeconds' in (details ?? {}) ? '10' : undefined);
    });
  });
}

const free: [string, object, object, object][] = [
  ['a pending pod', { phase: 'Pending' }, {}, {}],
  ['a failed pod', { phase: 'Failed' }, {}, {}],
  ['a succeeded pod', { phase: 'Succeeded' }, {}, {}],
  ['an unready pod of a healthy budget', UNREADY, { currentHealthy: 1, desiredHealthy: 1 }, {}],
  ['an unready pod that may always be evicted', UNREADY, { desiredHealthy: 1 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
  ['a pod that the budget does not select', READY, {}, { selector: { matchLabels: { app: 'db' } } }],
  ['a pod with a budget that selects nothing', READY, {}, { selector: null }],
];

for (const [what, podStatus, status, budget] of free) {
  test(`the eviction of ${what} uses no disruption`, async () => {
    await withServer(async (bench) => {
      await setUp(bench, { disruptionsAllowed: 0, ...status }, budget, podStatus);
      expect((await evict(bench)).status).toBe(201);
      expect((await bench.call('GET', `${BUDGETS}/b`)).body.status).toMatchObject({ disruptionsAllowed: 0 });
      expect((await bench.call('GET', `${BUDGETS}/b`)).body.status).not.toHaveProperty('disruptedPods');
    });
  });
}

test('two budgets for one pod are a server error', async () => {
  await withServer(async (bench) => {
    await setUp(bench, { disruptionsAllowed: 1 });
    await bench.call('POST', BUDGETS, { metadata: { name: 'everything' }, spec: { selector: {} } });
    const refused = await evict(bench);
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      code: 500,
    });
  });
});

test('a disruption is used up before preconditions are checked', async () => {
  await withServer(async (bench) => {
    await setUp(bench, { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 });
    const refused = await evict(bench, { preconditions: { uid: 'other' } });
    expect(refused).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(refused.body.message).toContain('the UID in the precondition (other) does not match the UID in record');
    expect((await bench.call('GET', `${BUDGETS}/b`)).body.status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: {} });
    expect((await bench.call('GET', `${PODS}/web`)).body.metadata).not.toHaveProperty('deletionTimestamp');
  });
});
