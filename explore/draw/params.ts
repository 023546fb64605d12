import { z } from 'zod';
import { faultCatalogue } from '../../faults/catalogue.ts';
import type { Fault } from '../../faults/fault.ts';
import type { Capability } from '../../history/capabilities.ts';
import { ZONES } from '../../model/instance-catalogue.ts';
import { WORKLOAD_LABEL } from '../../model/kube.ts';
import type { When } from '../../wire/effects.ts';
import type { Random } from '../../runtime/random.ts';
import type { FaultData, ScenarioData } from '../scenario-data.ts';
import { someOf, weighted } from './chance.ts';
import { TYPES } from './pools.ts';
import type { DrawSite } from './site.ts';

/**
 * Parameters of faults, drawn from the schemas in the catalogue: a new fault, or a new field, is drawn from the day it is added. What
 * a schema can't say, such as which zones there are, follows from the field's name.
 */

/** What the fields of a fault may name. */
export interface Names extends DrawSite {
  readonly instanceTypes: readonly string[];
  readonly zones: readonly string[];
  readonly workloads: readonly string[];
}

/** What there is in a scenario: a fault elsewhere would never strike. */
export function namesIn({ pools, workloads }: Pick<ScenarioData, 'pools' | 'workloads'>, site: DrawSite): Names {
  const hasSpot = pools.some(({ capacityTypes = [] }) => capacityTypes.includes('spot'));
  const hasDevices = workloads.some(({ gpus = 0 }) => gpus > 0);
  const absent: readonly Capability[] = [
    ...(hasSpot ? [] : ['spot.interrupt' as const]),
    ...(hasDevices ? [] : ['nodes.devices' as const]),
  ];
  return {
    ...site,
    capabilities: site.capabilities.filter((one) => !absent.includes(one)),
    instanceTypes: [...new Set(pools.flatMap(({ instanceTypes }) => instanceTypes ?? TYPES))],
    zones: [...new Set(pools.flatMap(({ zones }) => zones ?? ZONES))],
    workloads: workloads.map(({ name }) => name),
  };
}

/** The part of JSON schema that zod writes for parameters. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly pattern?: string;
}

/** Parameters that a refinement refuses are drawn again, at most this often. */
const MAX_DRAWS = 50;
/** How likely an optional field is given. */
const OPTIONAL_CHANCE = 0.25;
/** Kinds that an autoscaler watches. */
const WATCHED = ['pods', 'nodes', 'nodeclaims', 'nodepools', 'daemonsets', '*'];

const schemaOf = (fault: Fault<unknown, unknown>): Schema =>
  z.toJSONSchema(fault.params, { io: 'input', unrepresentable: 'any' }) as Schema;
/** Of every fault of the catalogue: converting one takes as long as drawing many. */
const SCHEMAS: ReadonlyMap<Fault<unknown, unknown>, Schema> = new Map(faultCatalogue.map((fault) => [fault, schemaOf(fault)]));

/** The fault that ends the target. */
const KILLS = 'crash';

/** The last request of its kind at which the target is killed. */
const LATEST_KILL = 40;

/** Killed at each request of a kind, a target would start thousands of times and get nowhere. */
function fewTimes(random: Random): When {
  // The first requests of a kind are as likely as all later ones: many kinds are rare.
  return random.chance(0.4) ? { kind: 'first', count: random.int(1, 3) } : { kind: 'nth', nth: Math.round(LATEST_KILL ** random.next()) };
}

/** Faults that the target and its world allow. */
export function possibleFaults({ capabilities }: DrawSite): readonly Fault<unknown, unknown>[] {
  return faultCatalogue.filter((fault) => needsOf(fault).every((one) => capabilities.includes(one)));
}

/** What a fault needs whatever its parameters are; those that depend on them are checked once they are drawn. */
function needsOf(fault: Fault<unknown, unknown>): ReturnType<Fault<unknown, unknown>['capabilities']> {
  try {
    return fault.capabilities(fault.params.parse({}));
  } catch {
    return [];
  }
}

/** Of these faults, those that disturb the same part of the world as the given one. All requests are no such part. */
export function relatedFaults({ fault }: FaultData, among: readonly Fault<unknown, unknown>[]): readonly Fault<unknown, unknown>[] {
  const given = among.find(({ name }) => name === fault);
  const parts = given === undefined ? [] : needsOf(given).filter((one) => !one.startsWith('wire.'));
  return among.filter((one) => needsOf(one).some((need) => parts.includes(need)));
}

/** A fault with drawn parameters; undefined if none were found that its schema and the world accept. */
export function drawFault(random: Random, name: string, fault: Fault<unknown, unknown>, names: Names): FaultData | undefined {
  const schema = SCHEMAS.get(fault) ?? schemaOf(fault);
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    const drawn = valueOf(random, schema, '', names) as Record<string, unknown>;
    const params = fault.name === KILLS ? { ...drawn, when: fewTimes(random) } : drawn;
    const parsed = fault.params.safeParse(params);
    if (!parsed.success) continue;
    if (!fault.capabilities(parsed.data).every((one) => names.capabilities.includes(one))) continue;
    return { name, fault: fault.name, params };
  }
  return undefined;
}

function valueOf(random: Random, schema: Schema, field: string, names: Names): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined) return valueOf(random, random.pick(options), field, names);
  switch (schema.type) {
    case 'object':
      return objectOf(random, schema, names);
    case 'array':
      return listOf(random, schema, field, names);
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return wholeNumber(random, schema, field);
    case 'number':
      return numberOf(random, schema);
    case 'string':
      return textOf(random, schema, field, names);
    default:
      return random.pick(schema.examples ?? [schema.default]);
  }
}

function objectOf(random: Random, { properties, required = [] }: Schema, names: Names): Record<string, unknown> {
  // A map of labels, of which only those of workloads mean something.
  if (properties === undefined) return names.workloads.length === 0 ? {} : { [WORKLOAD_LABEL]: random.pick(names.workloads) };
  const fields = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(OPTIONAL_CHANCE));
  return Object.fromEntries(fields.map(([name, schema]) => [name, valueOf(random, schema, name, names)]));
}

function listOf(random: Random, schema: Schema, field: string, names: Names): unknown[] {
  const { items = {} } = schema;
  if (field === 'operations') return operationsOf(random, schema, names);
  const known = items.enum ?? valuesOf(field, names);
  if (known !== undefined && known.length > 0) return someOf(random, known);
  return [valueOf(random, items, field, names)];
}

/** What a field of this name may hold. */
function valuesOf(field: string, { instanceTypes, zones }: Names): readonly string[] | undefined {
  switch (field) {
    case 'zones':
      return zones;
    case 'instanceTypes':
      return instanceTypes;
    case 'resources':
      return WATCHED;
    default:
      return undefined;
  }
}

/** Operations that the target sends and the fault accepts. `*` strikes at every kind of request, the likeliest way to a new place. */
function operationsOf(random: Random, { items = {}, default: usual, examples = [] }: Schema, { operations }: Names): unknown[] {
  const pattern = new RegExp(items.pattern ?? '');
  const accepted = operations.filter((one) => pattern.test(one));
  if (random.chance(0.25) && pattern.test('*')) return ['*'];
  if (accepted.length > 0) return someOf(random, accepted).slice(0, 3);
  const named = [usual, ...examples].filter((one): one is unknown[] => Array.isArray(one));
  return named.length === 0 ? ['*'] : random.pick(named);
}

/** Of what a fault repeats until its heal. */
const PERIOD = 'periodMs';
/** Real disturbances are not more frequent, and a trial costs as much as what happens in it. */
const LEAST_PERIOD_MS = 500;

/** Times are spread evenly over their orders of magnitude. */
function wholeNumber(
  random: Random,
  { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity }: Schema,
  field: string,
): number {
  const least = Math.max(minimum, exclusiveMinimum + 1);
  const within = (value: number): number => Math.min(maximum, Math.max(least, value));
  if (field.endsWith('Ms')) {
    const drawn = Math.round(weighted(random, TIMES_MS)(random));
    const value = field === PERIOD ? Math.max(drawn, LEAST_PERIOD_MS) : drawn;
    return within(least < 0 && random.chance(0.5) ? -value : value);
  }
  return within(least < -1 ? 0 - random.int(0, 2) : weighted(random, AMOUNTS)(random));
}

const spread = (fromMs: number, toMs: number) => (random: Random) => fromMs * (toMs / fromMs) ** random.next();
const TIMES_MS = [
  [1, () => 0],
  [3, spread(100, 5_000)],
  [5, spread(5_000, 120_000)],
  [4, spread(120_000, 1_200_000)],
] as const;
const AMOUNTS = [
  [5, (random: Random) => random.int(0, 3)],
  [2, (random: Random) => random.int(4, 12)],
  [1, (random: Random) => random.int(13, 60)],
] as const;

/** A number far above its examples is possible, but no real disturbance. */
const MOST_TIMES_EXAMPLE = 3;

function numberOf(random: Random, { minimum = 0, maximum = 10, examples = [] }: Schema): number {
  const usual = examples.filter((one) => typeof one === 'number');
  const most = usual.length === 0 ? maximum : Math.min(maximum, MOST_TIMES_EXAMPLE * Math.max(...usual));
  return Math.round((minimum + (most - minimum) * random.next()) * 100) / 100;
}

function textOf(random: Random, { examples, default: usual }: Schema, field: string, names: Names): unknown {
  const known = valuesOf(field, names);
  if (known !== undefined) return random.pick(known);
  return random.pick([
    ...(examples ?? []),
    ...(usual === undefined ? [] : [usual]),
    ...(examples === undefined ? ['example.com/foreign'] : []),
  ]);
}
