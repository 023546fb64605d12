import { expect, test } from '@playwright/test';
import { coveredBlocks, coveredIn } from './covered.ts';

/** A function's counters: how many, its package, its number in it, and then they. */
const ran = (...counters: number[]): number[] => [counters.length, 7, 1, ...counters];
/** The counters of a function that has not run. */
const idle = (length: number): number[] => new Array<number>(3 + length).fill(0);

test('a block is its place among all counters; only those that have run count', () => {
  const numbers = Uint32Array.from([...idle(2), ...ran(1, 0, 1), ...idle(1), ...ran(0), ...ran(1)]);
  expect([...coveredBlocks(numbers)]).toEqual([8, 10, 22]);
});

test('a program that has run nothing, or has no counters, covered nothing', () => {
  expect(coveredBlocks(Uint32Array.from(idle(5)))).toEqual(new Set());
  expect(coveredBlocks(new Uint32Array())).toEqual(new Set());
});

test('what a damaged program says of itself leads nowhere beyond its counters', () => {
  expect([...coveredBlocks(Uint32Array.from([4_000_000_000, 1, 1, 1]))]).toEqual([3]);
});

test('counters are read where the program says that they are, if that is possible', () => {
  const memory = Uint32Array.from([9, 9, ...ran(1, 0, 1)]).buffer;
  expect([...coveredIn(memory, 8, 6)]).toEqual([3, 5]);
  for (const [at, length] of [
    [undefined, undefined],
    ['8', 6],
    [6, 6],
    [-4, 6],
    [8, 7],
    [8, NaN],
  ])
    expect(coveredIn(memory, at, length)).toEqual(new Set());
});
