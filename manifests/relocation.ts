import type { Catalogue } from '../model/instance-catalogue.ts';
import { LABEL } from '../model/kube.ts';
import type { Manifest } from './documents.ts';

/** `eu-west-1b`: the region and the zone's letter. */
const ZONE = /^([a-z]{2}(?:-[a-z]+)+-\d)[a-z]$/;

/**
 * Moves manifests that name zones of other regions into the region of this world: the first of those zones, by name, becomes the
 * first of this world, and so on. Zones of this region stay unchanged, even those without a subnet here.
 */
export function relocate(
  manifests: readonly Manifest[],
  { region, zones }: Pick<Catalogue, 'region' | 'zones'>,
): { readonly manifests: readonly Manifest[]; readonly notes: readonly string[] } {
  const named = new Set<string>();
  for (const { object } of manifests) collectZones(object, named);
  const foreign = [...named].filter((zone) => (ZONE.exec(zone)?.[1] ?? region) !== region).sort();
  const regions = [...new Set(foreign.map((zone) => ZONE.exec(zone)?.[1] ?? ''))];
  if (foreign.length === 0) return { manifests, notes: [] };
  const names = new Map<string, string>([
    ...foreign.slice(0, zones.length).map((zone, index): [string, string] => [zone, zones[index] ?? zone]),
    ...regions.map((name): [string, string] => [name, region]),
  ]);
  const moved = manifests.map((manifest) => ({ ...manifest, object: rename(manifest.object, names) }));
  const renamed = [...names].map(([from, to]) => `${from} as ${to}`);
  return { manifests: moved, notes: [`this world is in ${region}, so names are changed: ${renamed.join(', ')}`] };
}

const KEYS: readonly string[] = [LABEL.zone, LABEL.region];

function collectZones(value: unknown, zones: Set<string>): void {
  visit(value, (name) => {
    if (ZONE.test(name)) zones.add(name);
    return name;
  });
}

function rename<T>(value: T, names: ReadonlyMap<string, string>): T {
  return visit(value, (name) => names.get(name) ?? name) as T;
}

/** A copy with `change` applied to every value of a zone or region label: under the label, or in `values` with the label as `key`. */
function visit(value: unknown, change: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => visit(item, change));
  if (typeof value !== 'object' || value === null) return value;
  const record = value as Readonly<Record<string, unknown>>;
  const isAboutZones = typeof record['key'] === 'string' && KEYS.includes(record['key']);
  return Object.fromEntries(
    Object.entries(record).map(([key, inner]) => {
      if (KEYS.includes(key) && typeof inner === 'string') return [key, change(inner)];
      if (isAboutZones && key === 'values' && Array.isArray(inner)) {
        return [key, inner.map((one: unknown) => (typeof one === 'string' ? change(one) : one))];
      }
      return [key, visit(inner, change)];
    }),
  );
}
