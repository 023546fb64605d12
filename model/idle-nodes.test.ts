import { expect, test } from '@playwright/test';
import type { PoolDisruption } from './catalogue.ts';
import { keepsIdleNodes } from './idle-nodes.ts';

const at = (time: string): number => Date.parse(`2026-07-01T${time}Z`);
const MORNING = { fromMs: at('00:00:00'), toMs: at('08:00:00') };
const AT_WORK = { schedule: '0 9 * * mon-fri', durationMs: 8 * 3_600_000 };

for (const { disruption, keeps } of [
  { disruption: undefined, keeps: false },
  { disruption: {}, keeps: false },
  { disruption: { consolidateAfterMs: 300_000, budgets: [{ nodes: '10%' }] }, keeps: false },
  { disruption: { consolidateAfterMs: 'never' }, keeps: true },
  { disruption: { budgets: [{ nodes: '0' }] }, keeps: true },
  { disruption: { budgets: [{ nodes: '50%' }, { nodes: '0%', reasons: ['empty'] }] }, keeps: true },
  { disruption: { budgets: [{ nodes: '0', reasons: ['underutilized', 'drifted'] }] }, keeps: false },
  { disruption: { budgets: [{ nodes: '0', ...AT_WORK }] }, keeps: false },
  { disruption: { budgets: [{ nodes: '0', ...AT_WORK, schedule: '0 7 * * *' }] }, keeps: true },
] satisfies readonly { readonly disruption: Partial<PoolDisruption> | undefined; readonly keeps: boolean }[]) {
  test(`a pool with ${JSON.stringify(disruption)} ${keeps ? 'keeps' : 'does not keep'} its idle nodes`, () => {
    const pool = disruption === undefined ? {} : { disruption: { consolidation: 'when-empty' as const, ...disruption } };
    expect(keepsIdleNodes(pool, MORNING)).toBe(keeps);
  });
}
