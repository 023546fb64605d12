import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstanceType, Pool } from './catalogue.ts';
import { instanceTypeDetailsSchema } from './instance-type-details.ts';
import type { InstanceTypeDetails } from './instance-type-details.ts';
import { typesOfRegion } from './region-types.ts';
import { packageRoot } from './package-root.ts';

/** The zones of the embedded world: three of the region's six, as most clusters use. */
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** The types that can be launched in a region, with on-demand prices. */
export interface Catalogue {
  readonly region: string;
  readonly zones: readonly string[];
  /** By name, sorted. Each type's zones are among the catalogue's. */
  readonly types: ReadonlyMap<string, InstanceType>;
  /** SHA-256 (hex) of the types and prices: two runs with the same digest had the same market. */
  readonly digest: string;
  /** SHA-256 (hex) of the on-demand prices alone, by type. Spot prices are derived from them and the seed. */
  readonly pricesDigest: string;
}

const instanceTypeSchema = z.strictObject({
  type: z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/),
  vcpu: z.number().int().positive(),
  memoryMiB: z.number().int().positive(),
  architecture: z.enum(['x86_64', 'arm64']),
  hypervisor: z.string(),
  bareMetal: z.boolean(),
  currentGeneration: z.boolean(),
  // Capacity blocks are reserved weeks ahead, so nothing here uses them.
  usageClasses: z
    .array(z.enum(['spot', 'on-demand', 'capacity-block']))
    .transform((classes) => classes.filter((one) => one !== 'capacity-block'))
    .refine((classes) => classes.length > 0, 'neither spot nor on-demand'),
  networkInterfaces: z.number().int().positive(),
  ipv4PerInterface: z.number().int().positive(),
  zones: z.array(z.string().min(1)).min(1),
  onDemandUsdPerHour: z.number().positive(),
  gpu: z
    .strictObject({
      count: z.number().int().nonnegative(),
      name: z.string().min(1),
      manufacturer: z.string().min(1),
      memoryMiB: z.number().int().positive(),
      workloads: z.array(z.enum(['graphics', 'ml-ai'])),
      partition: z.number().positive().lt(1).exactOptional(),
    })
    .exactOptional(),
  details: instanceTypeDetailsSchema.exactOptional(),
});
/** For a file that a test has checked: the details are most of it, and checking them would take longer than reading the rest. */
const checkedTypeSchema = instanceTypeSchema.extend({ details: z.custom<InstanceTypeDetails>().exactOptional() });

/** The package's own types: all of us-east-1, with their on-demand prices for Linux. */
const FIXTURE = join('fixtures/data', 'instance-types.us-east-1.json');

/** Cached: a file of the package does not change while a process runs, and every trial needs it. */
let ownCatalogue: Catalogue | undefined;

/** Reads the package's catalogue, once. @throws Error when the file can't be read or is not a catalogue */
export function loadCatalogue(): Catalogue {
  const path = join(packageRoot(), FIXTURE);
  ownCatalogue ??= readCatalogue(readFileSync(path, 'utf8'), { region: 'us-east-1', zones: ZONES, source: path }, checkedTypeSchema);
  return ownCatalogue;
}

/** The same region with fewer types: those that pools allow, and some of each kind. */
export function smallRegion({ region, zones, types }: Catalogue, pools: readonly Pick<Pool, 'requirements'>[]): Catalogue {
  return catalogueOf({ region, zones }, typesOfRegion(types.values(), pools));
}

/** The region that a catalogue is read for, and the source of its text. */
interface CatalogueSite {
  readonly region: string;
  readonly zones: readonly string[];
  readonly source: string;
}

/**
 * Reads instance types from JSON text: an array of objects as in `model/catalogue.ts`. Types that none of the zones offers are
 * dropped.
 * @throws Error that names the source and the problem
 */
export function parseCatalogue(text: string, site: CatalogueSite): Catalogue {
  return readCatalogue(text, site, instanceTypeSchema);
}

function readCatalogue(
  text: string,
  { region, zones, source }: CatalogueSite,
  schema: z.ZodType<z.infer<typeof instanceTypeSchema>>,
): Catalogue {
  const parsed = z.array(schema).safeParse(parseJson(text, source));
  if (!parsed.success) throw new Error(`${source} is not a catalogue of instance types: ${z.prettifyError(parsed.error)}`);
  const offered = parsed.data
    .map((type) => ({ ...type, zones: zones.filter((zone) => type.zones.includes(zone)) }))
    .filter((type) => type.zones.length > 0)
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  if (new Set(offered.map(({ type }) => type)).size < offered.length) throw new Error(`${source} names an instance type twice`);
  return catalogueOf({ region, zones }, offered);
}

function catalogueOf({ region, zones }: Pick<Catalogue, 'region' | 'zones'>, offered: readonly InstanceType[]): Catalogue {
  const types = new Map(offered.map((type) => [type.type, type]));
  const prices = offered.map(({ type, onDemandUsdPerHour }) => [type, onDemandUsdPerHour]);
  return { region, zones: [...zones], types, digest: digestOf([region, zones, offered]), pricesDigest: digestOf([region, prices]) };
}

/**
 * Most pods on a node of this type with one address each: the AWS VPC CNI's rule, without prefix delegation.
 * Source: https://github.com/awslabs/amazon-eks-ami, `eni-max-pods.txt`.
 */
export function podsPerNode(type: InstanceType): number {
  return type.networkInterfaces * (type.ipv4PerInterface - 1) + 2;
}

function digestOf(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex');
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${source} is not JSON: ${String(error)}`, { cause: error });
  }
}
