import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import { NODE_POOL_LABEL } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { STANDARD } from '../periods.ts';
import { overdueNodes } from './overdue.ts';

const PATIENCE_MS = STANDARD.readyPatienceMs;

interface Seen {
  readonly name: string;
  readonly seenMs: number;
  /** By the server's clock; by default when it was seen. */
  readonly createdMs?: number;
  readonly pool?: string;
  readonly isReady?: boolean;
}

/** The names of the nodes that are overdue at a time. */
function overdueAt(nowMs: number, seen: readonly Seen[]): string[] {
  const nodes = seen.map(
    ({ name, seenMs, createdMs = seenMs, isReady = false }) =>
      ({
        metadata: { name, creationTimestamp: formatTime(createdMs) },
        spec: {},
        status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
      }) as unknown as Node,
  );
  const of = (node: Node): Seen | undefined => seen.find(({ name }) => name === node.metadata.name);
  const claimOf = (node: Node): NodeClaim =>
    ({ metadata: { name: 'a', labels: { [NODE_POOL_LABEL]: of(node)?.pool ?? 'default' } }, spec: {} }) as unknown as NodeClaim;
  const context = {
    runtime: { clock: { monotonicMs: () => nowMs } },
    periods: STANDARD,
    state: { nodeSeenMs: (node: Node) => of(node)?.seenMs },
  } as unknown as Context;
  return [...overdueNodes(context, nodes, claimOf)].map(({ metadata }) => metadata.name ?? '');
}

test('a node is overdue once the patience is over, unless it is ready', () => {
  expect(overdueAt(PATIENCE_MS, [{ name: 'a', seenMs: 0 }])).toEqual([]);
  expect(overdueAt(PATIENCE_MS + 1, [{ name: 'a', seenMs: 0 }])).toEqual(['a']);
  expect(overdueAt(PATIENCE_MS + 1, [{ name: 'a', seenMs: 0, isReady: true }])).toEqual([]);
});

test('nodes that come together are overdue together', () => {
  expect(
    overdueAt(
      PATIENCE_MS + 1,
      ['a', 'b'].map((name) => ({ name, seenMs: 0 })),
    ),
  ).toEqual(['a', 'b']);
});

test('a node that comes after one of its pool was overdue may take four times as long', () => {
  const seenMs = PATIENCE_MS + 1;
  const later = [
    { name: 'a', seenMs: 0 },
    { name: 'b', seenMs },
  ];
  expect(overdueAt(seenMs + 4 * PATIENCE_MS, later)).toEqual(['a']);
  expect(overdueAt(seenMs + 4 * PATIENCE_MS + 1, later)).toEqual(['a', 'b']);
  expect(
    overdueAt(seenMs + PATIENCE_MS + 1, [
      { name: 'a', seenMs: 0 },
      { name: 'b', seenMs, pool: 'other' },
    ]),
  ).toEqual(['a', 'b']);
});

test('after a restart, which saw all at once, it is still known which came later', () => {
  const restartMs = 10 * PATIENCE_MS;
  const nodes = [
    { name: 'a', createdMs: 0, seenMs: restartMs },
    { name: 'b', createdMs: 2 * PATIENCE_MS, seenMs: restartMs },
  ];
  expect(overdueAt(restartMs + PATIENCE_MS + 1, nodes)).toEqual(['a']);
  expect(overdueAt(restartMs + 4 * PATIENCE_MS + 1, nodes)).toEqual(['a', 'b']);
});
