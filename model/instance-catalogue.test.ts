import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ZONES, loadCatalogue, parseCatalogue, podsPerNode } from './instance-catalogue.ts';
import { packageRoot } from './package-root.ts';

const SITE = { region: 'us-east-1', zones: ['us-east-1a', 'us-east-1b'], source: 'types.json' };
const TYPE = {
  type: 'm5.large',
  vcpu: 2,
  memoryMiB: 8192,
  architecture: 'x86_64',
  hypervisor: 'nitro',
  bareMetal: false,
  currentGeneration: true,
  usageClasses: ['on-demand', 'spot'],
  networkInterfaces: 3,
  ipv4PerInterface: 10,
  zones: ['us-east-1a', 'us-east-1f'],
  onDemandUsdPerHour: 0.096,
};

test('the package has all types of the region, some of them not in every zone or not spot', () => {
  const catalogue = loadCatalogue();
  const types = [...catalogue.types.values()];
  expect(types).toHaveLength(1_334);
  expect(catalogue.types.get('g4dn.12xlarge')?.gpu).toEqual({
    count: 4,
    name: 'T4',
    manufacturer: 'NVIDIA',
    memoryMiB: 16_384,
    workloads: ['graphics', 'ml-ai'],
  });
  expect(catalogue.types.get('p5.48xlarge')?.usageClasses).toEqual(['on-demand', 'spot']);
  expect(types.map(({ type }) => type)).toEqual([...catalogue.types.keys()].sort());
  expect(types.some(({ zones }) => zones.length < catalogue.zones.length)).toBe(true);
  expect(types.some(({ usageClasses }) => !usageClasses.includes('spot'))).toBe(true);
  expect(types.some(({ bareMetal }) => bareMetal)).toBe(true);
  expect(loadCatalogue().digest).toBe(catalogue.digest);
});

test("the package's own file passes the check that loading it skips", () => {
  const text = readFileSync(join(packageRoot(), 'fixtures/data', 'instance-types.us-east-1.json'), 'utf8');
  const checked = parseCatalogue(text, { region: 'us-east-1', zones: ZONES, source: 'fixture' });
  expect(checked.digest).toBe(loadCatalogue().digest);
  for (const { type, vcpu, networkInterfaces, architecture, details } of checked.types.values()) {
    const [card] = details?.network.cards ?? [];
    expect(card?.interfaces, type).toBe(networkInterfaces);
    expect(vcpu % (details?.cpu.threadsPerCore ?? NaN), type).toBe(0);
    expect(details?.cpu.manufacturer === 'AWS', type).toBe(architecture === 'arm64');
  }
});

test("only the world's zones count, and types in none of them are dropped", () => {
  const elsewhere = { ...TYPE, type: 'm5.xlarge', zones: ['us-east-1f'] };
  const { types } = parseCatalogue(JSON.stringify([TYPE, elsewhere]), SITE);
  expect([...types.values()].map(({ type, zones }) => [type, zones])).toEqual([['m5.large', ['us-east-1a']]]);
});

test('the digest covers types and prices, in any order', () => {
  const other = { ...TYPE, type: 'c5.large' };
  const digest = (...types: object[]): string => parseCatalogue(JSON.stringify(types), SITE).digest;
  expect(digest(TYPE, other)).toBe(digest(other, Object.fromEntries(Object.entries(TYPE).reverse())));
  expect(digest(TYPE)).not.toBe(digest({ ...TYPE, onDemandUsdPerHour: 0.097 }));
});

for (const [text, message] of [
  ['{', /types\.json is not JSON/],
  ['{}', /types\.json is not a catalogue/],
  [JSON.stringify([{ ...TYPE, vcpu: 0 }]), /vcpu/],
  [JSON.stringify([{ ...TYPE, colour: 'red' }]), /colour/],
  [JSON.stringify([{ ...TYPE, details: { features: [] } }]), /details\.cpu/],
  [JSON.stringify([TYPE, TYPE]), /twice/],
] as const) {
  test(`refuses with ${message.source}`, () => {
    expect(() => parseCatalogue(text, SITE)).toThrow(message);
  });
}

test('the pods per node follow from its network interfaces', () => {
  const type = parseCatalogue(JSON.stringify([TYPE]), SITE).types.get('m5.large');
  expect(type === undefined ? undefined : podsPerNode(type)).toBe(29);
});

test('the root of the package contains its fixtures', () => {
  expect(existsSync(join(packageRoot(), 'fixtures'))).toBe(true);
  expect(() => packageRoot('file:///nowhere/at/all.ts')).toThrow(/no package\.json of scaleproof/);
});
