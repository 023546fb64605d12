import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { createParts } from '../controller/parts.ts';
import type { PartsFactory } from '../controller/controller.ts';
import { runInProcess } from '../harness/testing/in-process.ts';
import { createReferenceTarget, reference } from '../targets/reference.ts';
import { ignoredBudgetPercentage } from '../targets/mutants/disruption/ignored-budget-percentage.ts';
import type { Mix } from './mix.ts';
import { manifestScenarios } from './suite.ts';
import { deploymentManifest, mixOf, poolManifest } from './testing/mix.ts';

const TYPES = '{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}';
const deployment = (name: string, replicas: number): string => deploymentManifest(name, replicas, '{requests: {cpu: 1200m}}');
const WEB = deployment('web', 8);

/** A pool with these disruption settings, a Deployment of eight pods that fill a node each, and another pod. */
function mixWith(testInfo: TestInfo, disruption: string | undefined, appliesClasses = true): Promise<Mix> {
  const pool = `${poolManifest(TYPES)}${disruption === undefined ? '' : `  disruption: ${disruption}\n`}`;
  return mixOf(testInfo, { 'all.yaml': [pool, WEB, deployment('api', 1)].join('---\n') }, { appliesClasses });
}

const kept = (why: string): string[] => [
  `NodePool general: ${why}, so its idle nodes may stay`,
  'manifests/idle-nodes is not run, since all pools keep their idle nodes',
];
const DEFAULT = [{ nodes: '10%' }];
for (const { written, read, notes = [] } of [
  { written: undefined, read: { consolidateAfterMs: 0, budgets: DEFAULT } },
  { written: '{consolidateAfter: 5m}', read: { consolidateAfterMs: 300_000, budgets: DEFAULT } },
  { written: '{consolidateAfter: 5m, budgets: []}', read: { consolidateAfterMs: 300_000, budgets: [] } },
  {
    written:
      '{consolidateAfter: 1h30m, budgets: [{nodes: "3", reasons: [Empty, Drifted]}, {nodes: 20%, schedule: "@daily", duration: 8h}]}',
    read: {
      consolidateAfterMs: 5_400_000,
      budgets: [
        { nodes: '3', reasons: ['empty', 'drifted'] },
        { nodes: '20%', schedule: '@daily', durationMs: 28_800_000 },
      ],
    },
  },
  {
    written: '{consolidateAfter: Never}',
    read: { consolidateAfterMs: 'never', budgets: DEFAULT },
    notes: kept('its consolidateAfter is Never'),
  },
  {
    written: '{consolidateAfter: 0s, budgets: [{nodes: "0"}]}',
    read: { consolidateAfterMs: 0, budgets: [{ nodes: '0' }] },
    notes: kept('its budget for empty nodes is always 0'),
  },
  {
    written: '{consolidateAfter: 0s, budgets: [{nodes: "0", schedule: "0 9 * * 1-5", duration: 8h}]}',
    read: { consolidateAfterMs: 0, budgets: [{ nodes: '0', schedule: '0 9 * * 1-5', durationMs: 28_800_000 }] },
    notes: [
      'NodePool general: its idle nodes may stay while its budget of 0 is active (schedule 0 9 * * 1-5; virtual time begins on Wed, 01 Jul 2026 00:00:00 GMT)',
    ],
  },
]) {
  test(`Karpenter's disruption settings: ${written ?? 'none'}`, async ({}, testInfo) => {
    const karpenter = await mixWith(testInfo, written);
    expect(karpenter.pools[0]?.disruption).toEqual({ consolidation: 'when-empty-or-underutilized', ...read });
    expect(karpenter.notes.filter((note) => /idle/.test(note))).toEqual(notes);
    expect('idleNodes' in manifestScenarios(karpenter)).toBe(!notes.some((note) => note.includes('not run')));
    const other = await mixWith(testInfo, written, false);
    expect(other.pools[0]?.disruption).toBeUndefined();
    expect(other.notes.some((note) => note.includes('disruption (the target removes'))).toBe(written !== undefined);
  });
}

const NOTHING: PartsFactory = (context) => ({
  ...createParts(context),
  // The planted bug: empty nodes are never looked for.
  emptiness: { sweep: () => Promise.resolve() },
});
const neverRemoves = createReferenceTarget({ name: 'never-removes', summary: 'keeps empty nodes', makeParts: NOTHING });
const EMPTY_ONLY = 'consolidationPolicy: WhenEmpty, consolidateAfter: 1m';

for (const { target, disruption, codes } of [
  { target: reference, disruption: `{${EMPTY_ONLY}, budgets: [{nodes: 25%}]}`, codes: [] },
  { target: reference, disruption: '{consolidateAfter: 1m, budgets: [{nodes: "1"}]}', codes: [] },
  { target: neverRemoves, disruption: `{${EMPTY_ONLY}}`, codes: ['scale-in not-ended', 'world-settled not-settled'] },
  {
    target: ignoredBudgetPercentage.target,
    disruption: `{${EMPTY_ONLY}, budgets: [{nodes: 25%}]}`,
    codes: ['node-budgets node-budget-exceeded'],
  },
]) {
  test(`idle nodes of a pool with ${disruption}: ${target.name}`, async ({}, testInfo) => {
    const { idleNodes } = manifestScenarios(await mixWith(testInfo, disruption));
    if (idleNodes === undefined) throw new Error('nodes become idle');
    const { judgement } = await runInProcess(idleNodes, target);
    const failed = judgement.checks.flatMap(({ check, findings }) => findings.map(({ code }) => `${check} ${code}`));
    expect([...new Set(failed)]).toEqual(codes);
    expect(judgement.verdict).toBe(codes.length === 0 ? 'pass' : 'fail');
  });
}

test('pools whose idle nodes may stay for long, or go one by one, have no scenario of idle nodes', async ({}, testInfo) => {
  const many = await mixOf(
    testInfo,
    {
      'all.yaml': [`${poolManifest(TYPES)}  disruption: {consolidateAfter: 1m, budgets: [{nodes: "1"}]}\n`, deployment('web', 80)].join(
        '---\n',
      ),
    },
    { appliesClasses: true },
  );
  expect(many.notes.join('\n')).toMatch(/manifests\/idle-nodes is not run, since budgets let \d+ nodes go in \d+ rounds, more than 60/);
  expect(manifestScenarios(many)).not.toHaveProperty('idleNodes');
  const frozen = await mixWith(testInfo, '{consolidateAfter: 0s, budgets: [{nodes: "0", schedule: "0 2 * * *", duration: 1h}]}');
  expect(frozen.notes.join('\n')).toContain('manifests/idle-nodes is not run, since all pools keep their idle nodes for some of the time');
  const slow = await mixWith(testInfo, '{consolidateAfter: 24h}');
  expect(slow.pools[0]?.disruption?.consolidateAfterMs).toBe(7_200_000);
  expect(slow.notes.join('\n')).toContain('consolidateAfter 24h (2h is applied, so that trials end)');
});

for (const { disruption, stated } of [
  { disruption: '{consolidateAfter: 2m, budgets: [{nodes: 50%}]}', stated: ['emptied'] },
  { disruption: '{consolidateAfter: Never}', stated: [] },
  { disruption: '{consolidateAfter: 0s, budgets: [{nodes: "0"}]}', stated: [] },
  // In these tests, time begins at midnight.
  { disruption: '{consolidateAfter: 0s, budgets: [{nodes: "0", schedule: "0 0 * * *", duration: 8h}]}', stated: [] },
  { disruption: '{consolidateAfter: 0s, budgets: [{nodes: "0", schedule: "0 9 * * *", duration: 8h}]}', stated: ['idle-removed'] },
]) {
  test(`after everything was removed, of a pool with ${disruption} is expected: ${stated.join() || 'nothing'}`, async ({}, testInfo) => {
    const { faultFree } = manifestScenarios(await mixWith(testInfo, disruption));
    if (faultFree === undefined) throw new Error('it always exists');
    const { judgement, events } = await runInProcess(faultFree, reference);
    expect(judgement.verdict).toBe('pass');
    const kinds = events.flatMap((event) => (event.type === 'expectation' ? [event.expectation.kind] : []));
    expect(kinds.filter((kind) => kind === 'emptied' || kind === 'idle-removed')).toEqual(stated);
  });
}
