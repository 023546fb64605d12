import { ZONES, loadCatalogue } from '../model/instance-catalogue.ts';
import { LABEL, SYSTEM_PRIORITY_CLASSES } from '../model/kube.ts';
import { hint } from '../model/mistake.ts';
import { nearest } from '../model/nearest.ts';
import { namedZones } from './volumes.ts';
import type { VolumeData } from './volumes.ts';

/** Names at a place of a scenario, of things that exist before it. */
interface Named {
  readonly at: string;
  readonly kind: 'instance type' | 'zone' | 'priority class';
  readonly names: readonly string[];
}

interface PoolParts {
  readonly instanceTypes?: readonly string[];
  readonly zones?: readonly string[];
  readonly requirements?: readonly { readonly key: string; readonly values?: readonly string[] }[];
}

/** What of a scenario may name such things. */
interface NamingParts {
  readonly pools: readonly PoolParts[];
  /** For each step, what a pool is changed to; undefined if it changes none. */
  readonly changes: readonly (PoolParts | undefined)[];
  readonly workloads: readonly { readonly priorityClassName?: string; readonly volume?: VolumeData }[];
  readonly daemonSets: readonly { readonly priorityClassName?: string }[];
  readonly faults: readonly { readonly fault: string; readonly params: Readonly<Record<string, unknown>> }[];
}

const EXAMPLES = 3;

/**
 * The first instance type, zone or priority class that a scenario's parts name and that does not exist, with its place; undefined if
 * all exist. What pods select is not looked at: pods that ask for what nobody has are worth a test.
 */
export function unknownName(parts: NamingParts): string | undefined {
  for (const { at, kind, names } of namesIn(parts)) {
    const unknown = names.find((name) => !isKnown(kind, name));
    if (unknown !== undefined) return `${at}: there is no ${kind} "${unknown}"${whichThereAre(kind, unknown)}`;
  }
  return undefined;
}

function isKnown(kind: Named['kind'], name: string): boolean {
  return kind === 'instance type' ? loadCatalogue().types.has(name) : namesOf(kind).includes(name);
}

function namesOf(kind: Named['kind']): readonly string[] {
  if (kind === 'zone') return ZONES;
  return kind === 'instance type' ? [...loadCatalogue().types.keys()] : Object.keys(SYSTEM_PRIORITY_CLASSES);
}

function whichThereAre(kind: Named['kind'], unknown: string): string {
  const names = namesOf(kind);
  if (kind !== 'instance type') return `; there are: ${names.join(', ')}`;
  return nearest(unknown, names) === undefined
    ? `; there are ${names.length}, such as ${names.slice(0, EXAMPLES).join(', ')}`
    : hint(unknown, names);
}

function namesIn({ pools, changes, workloads, daemonSets, faults }: NamingParts): Named[] {
  const classOf = (kind: string, all: readonly { readonly priorityClassName?: string }[]): Named[] =>
    all.map(({ priorityClassName }, index) => ({
      at: `${kind}.${index}.priorityClassName`,
      kind: 'priority class',
      names: priorityClassName === undefined ? [] : [priorityClassName],
    }));
  return [
    ...pools.flatMap((pool, index) => inPool(`pools.${index}`, pool)),
    ...changes.flatMap((pool, index) => (pool === undefined ? [] : inPool(`steps.${index}.pool`, pool))),
    ...workloads.map(({ volume }, index): Named => ({
      at: `workloads.${index}.volume`,
      kind: 'zone',
      names: volume === undefined ? [] : namedZones(volume),
    })),
    ...classOf('workloads', workloads),
    ...classOf('daemonSets', daemonSets),
    // Faults name these in fields of the same names.
    ...faults.flatMap(({ fault, params }, index) => [
      { at: `faults.${index} (${fault}).instanceTypes`, kind: 'instance type' as const, names: textsIn(params['instanceTypes']) },
      { at: `faults.${index} (${fault}).zones`, kind: 'zone' as const, names: textsIn(params['zones']) },
    ]),
  ];
}

function inPool(at: string, { instanceTypes = [], zones = [], requirements = [] }: PoolParts): Named[] {
  return [
    { at: `${at}.instanceTypes`, kind: 'instance type', names: instanceTypes },
    { at: `${at}.zones`, kind: 'zone', names: zones },
    ...requirements.flatMap(({ key, values = [] }, index): Named[] => {
      const kind = key === LABEL.zone ? 'zone' : key === LABEL.instanceType ? 'instance type' : undefined;
      return kind === undefined ? [] : [{ at: `${at}.requirements.${index}`, kind, names: values }];
    }),
  ];
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
