import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { expect, test } from '@playwright/test';
import { keptImage } from './kept-image.ts';
import type { ProgramImage } from './image.ts';

/** An image of a program that does nothing. */
const IMAGE: ProgramImage = {
  machine: {
    memoryBytes: 65_536,
    addresses: new Uint32Array([8]),
    pieces: new Uint8Array([1, 2, 3]),
    globals: { global0: 7n },
    values: { values: [], free: [] },
    hooks: { reseed: { kind: 'function', id: 3 }, countersLength: { kind: 'plain', value: 8 } },
  },
  openFiles: { open: [], nextDescriptor: 3 },
  calls: [],
  wakeUps: [],
  nextWakeUp: 1,
  said: [],
};

/** Takes the image that a folder has. @returns it, and whether it had to be made */
function take(folder: string, name = 'image'): { readonly image: ProgramImage | undefined; readonly made: boolean } {
  let made = false;
  const image = keptImage(folder, name, () => {
    made = true;
    return IMAGE;
  });
  return { image, made };
}

test('an image is made once, and then read from its file', ({}, testInfo) => {
  const folder = testInfo.outputPath('images');
  expect(take(folder)).toEqual({ image: IMAGE, made: true });
  expect(take(folder)).toEqual({ image: IMAGE, made: false });
});

for (const [what, damaged] of [
  ['changed in one bit', (bytes: Buffer) => bytes.map((byte, at) => (at === bytes.length - 20 ? byte ^ 1 : byte))],
  ['truncated', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ['without a digest, as an earlier version stored it,', () => serialize({ some: 'other value' })],
] as const) {
  test(`an image that is ${what} is made again`, ({}, testInfo) => {
    const folder = testInfo.outputPath('images');
    take(folder);
    const path = join(folder, 'image');
    writeFileSync(path, damaged(readFileSync(path)));
    expect(take(folder)).toEqual({ image: IMAGE, made: true });
    expect(take(folder)).toEqual({ image: IMAGE, made: false });
  });
}

test('where no image is possible, none is stored; of many, the newest stay', ({}, testInfo) => {
  const folder = testInfo.outputPath('images');
  expect(keptImage(folder, 'none', () => undefined)).toBeUndefined();
  for (let number = 0; number < 10; number += 1) take(folder, `image-${number}`);
  expect(readdirSync(folder)).toHaveLength(8);
});
