import { expect, test } from '@playwright/test';
import { conditionOf, withCondition } from './conditions.ts';
import type { Condition } from './kube.ts';

const READY: Condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
const DISK: Condition = { type: 'DiskPressure', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };
const LATER = '2026-01-01T00:01:00Z';

test('the transition time changes only with the status', () => {
  const said = withCondition([READY, DISK], { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: LATER });
  expect(said).toEqual([{ ...READY, reason: 'KubeletReady' }, DISK]);
  const changed = withCondition([READY, DISK], { type: 'Ready', status: 'False', lastTransitionTime: LATER });
  expect(changed).toEqual([{ type: 'Ready', status: 'False', lastTransitionTime: LATER }, DISK]);
});

test('a condition of a new type comes last', () => {
  expect(withCondition(undefined, READY)).toEqual([READY]);
  expect(withCondition([DISK], READY)).toEqual([DISK, READY]);
  expect(conditionOf({ status: { conditions: [DISK, READY] } }, 'Ready')).toBe(READY);
  expect(conditionOf({}, 'Ready')).toBeUndefined();
});
