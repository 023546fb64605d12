import { expect, test } from '@playwright/test';
import { COMMON_TYPES } from './common-types.ts';
import { loadCatalogue } from './instance-catalogue.ts';

test('a region with the common types has some of every kind, as they are in the catalogue', () => {
  const all = loadCatalogue();
  const common = loadCatalogue('common');
  const types = [...common.types.values()];
  expect(types.length).toBeGreaterThan(100);
  expect(types.length).toBeLessThan(200);
  for (const type of types) {
    expect(all.types.get(type.type)).toBe(type);
    expect(COMMON_TYPES).toContain(type.type);
  }
  expect(new Set(types.map(({ architecture }) => architecture))).toEqual(new Set(['x86_64', 'arm64']));
  expect(types.some(({ gpu }) => gpu !== undefined)).toBe(true);
  expect(types.some(({ bareMetal }) => bareMetal)).toBe(true);
  for (const zone of common.zones) expect(types.some(({ zones }) => zones.includes(zone))).toBe(true);
});

test('who sees another market sees another digest; the same is read once', () => {
  expect(loadCatalogue('common').digest).not.toBe(loadCatalogue().digest);
  expect(loadCatalogue('common')).toBe(loadCatalogue('common'));
});
