import { expect, test } from '@playwright/test';
import type { HistoryEvent } from '../../history/events.ts';
import { differenceIn } from './difference.ts';

const log = (i: number, message: string): HistoryEvent => ({ i, t: i, type: 'said', by: 'log', level: 'info', reason: 'log', message });
const ready = (i: number, t: number): HistoryEvent => ({ i, t, type: 'target.ready', incarnation: 1 });
const stop = (i: number, t: number): HistoryEvent => ({ i, t, type: 'target.stop', incarnation: 1 });

test('log lines make no difference, nor do the indexes that count them', () => {
  expect(differenceIn([ready(0, 5), stop(1, 9)], [log(0, 'a'), ready(1, 5), log(2, 'b'), stop(3, 9)])).toBeUndefined();
});

test('the first event that differs is found', () => {
  expect(differenceIn([ready(0, 5), stop(1, 9)], [ready(0, 5), stop(1, 8)])).toEqual({
    atMs: 8,
    without: '9 ms: target.stop incarnation=1',
    with: '8 ms: target.stop incarnation=1',
  });
});

test('a history may be over earlier', () => {
  expect(differenceIn([ready(0, 5), stop(1, 9)], [ready(0, 5)])).toEqual({ atMs: 9, without: '9 ms: target.stop incarnation=1' });
});
