import { LoadError } from '../harness/load-error.ts';
import type { Pool, PoolDisruption } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { parseDurationMs } from '../model/go-duration.ts';
import type { NodeSelectorRequirement, Taint } from '../model/kube.ts';
import { QuantityError, toMilli, toWhole } from '../model/quantity.ts';
import type { Manifest } from './documents.ts';
import { isUnmodelledLabel } from './node-labels.ts';

/** The used part of Karpenter's NodePool; the API has validated the types. */
interface NodePoolSpec {
  readonly template: {
    readonly metadata?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: object };
    readonly spec: {
      readonly requirements?: readonly WrittenRequirement[];
      readonly taints?: readonly Taint[];
      readonly startupTaints?: readonly Taint[];
      readonly expireAfter?: string;
      readonly terminationGracePeriod?: string;
    };
  };
  readonly disruption?: WrittenDisruption;
  readonly limits?: Readonly<Record<string, string | number>>;
  readonly weight?: number;
  readonly replicas?: number;
}

interface WrittenDisruption {
  readonly consolidationPolicy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
  readonly consolidateAfter: string;
  readonly budgets?: readonly WrittenBudget[];
}

interface WrittenBudget {
  readonly nodes?: string;
  readonly reasons?: readonly ('Empty' | 'Underutilized' | 'Drifted')[];
  readonly schedule?: string;
  readonly duration?: string;
}

interface WrittenRequirement {
  readonly key: string;
  /** `Gte` and `Lte` since Karpenter 1.9. */
  readonly operator: NodeSelectorRequirement['operator'] | 'Gte' | 'Lte';
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/** A pool, with notes on ignored fields of its manifest. */
export interface ReadPool {
  readonly pool: Pool;
  readonly notes: readonly string[];
}

/** The API's defaults. */
const DISRUPTION: WrittenDisruption = { consolidateAfter: '0s' };
const BUDGET_NODES = '10%';
const MIB = 2 ** 20;
const LIMITS = ['cpu', 'memory', 'nodes'];

/**
 * Converts a Karpenter NodePool (karpenter.sh/v1) to the neutral form of a pool.
 * @param isKarpenter whether the target is Karpenter, and so knows what only Karpenter has: the way in which nodes are disrupted,
 *   and minimum values
 * @throws LoadError when a limit is not a quantity
 */
export function readNodePool({ object, where }: Manifest, isKarpenter: boolean): ReadPool {
  const name = object.metadata.name ?? '';
  const { template, limits = {}, weight = 0, disruption, replicas } = (object as unknown as { spec: NodePoolSpec }).spec;
  const { requirements = [], taints = [], startupTaints = [], expireAfter, terminationGracePeriod } = template.spec;
  const unmodelled = requirements.filter(({ key }) => isUnmodelledLabel(key));
  const minimumValues = minimumValuesOf(requirements.filter((one) => !unmodelled.includes(one)));
  const ignored = [
    ...unmodelled.map(({ key }) => `the requirement on ${key}`),
    ...(!isKarpenter && minimumValues !== undefined ? ['minValues'] : []),
    ...(template.metadata?.annotations === undefined ? [] : ['annotations of nodes']),
    ...(isKarpenter || expireAfter === undefined ? [] : ['expireAfter']),
    ...(isKarpenter || terminationGracePeriod === undefined ? [] : ['terminationGracePeriod']),
    ...(disruption === undefined || isKarpenter ? [] : ['disruption (the target removes empty nodes as configured in its adapter)']),
    ...(isKarpenter && disruption?.consolidationPolicy === 'Balanced'
      ? ['consolidationPolicy Balanced (WhenEmptyOrUnderutilized is applied)']
      : []),
    ...(isKarpenter && (timeOf(disruption?.consolidateAfter) ?? 0) > LONGEST_CONSOLIDATE_AFTER_MS
      ? [`consolidateAfter ${disruption?.consolidateAfter ?? ''} (2h is applied, so that trials end)`]
      : []),
    ...(replicas === undefined ? [] : ['replicas']),
    ...Object.keys(limits).flatMap((resource) => (LIMITS.includes(resource) ? [] : [`the limit on ${resource}`])),
  ];
  return {
    pool: {
      name,
      requirements: requirements.filter((one) => !unmodelled.includes(one)).map(toRequirement),
      labels: { ...template.metadata?.labels },
      taints: taints.map(toTaint),
      startupTaints: startupTaints.map(toTaint),
      ...readLimits(limits, where),
      weight,
      ...(isKarpenter
        ? defined({
            disruption: disruptionOf(disruption),
            expireAfterMs: timeOf(expireAfter),
            terminationGracePeriodMs: timeOf(terminationGracePeriod),
            minimumValues,
          })
        : {}),
    },
    notes: ignored.length === 0 ? [] : [`NodePool ${name}: ignored: ${ignored.join(', ')}`],
  };
}

/** Of several for one label the largest counts. */
function minimumValuesOf(requirements: readonly WrittenRequirement[]): Pool['minimumValues'] {
  const minima = new Map<string, number>();
  for (const { key, minValues } of requirements) if (minValues !== undefined) minima.set(key, Math.max(minValues, minima.get(key) ?? 0));
  return minima.size === 0 ? undefined : Object.fromEntries(minima);
}

/** A trial waits for it several times. */
const LONGEST_CONSOLIDATE_AFTER_MS = 7_200_000;

/** With the API's defaults. */
function disruptionOf({ consolidationPolicy, consolidateAfter, budgets = [{}] }: WrittenDisruption = DISRUPTION): PoolDisruption {
  const afterMs = timeOf(consolidateAfter);
  return {
    consolidation: consolidationPolicy === 'WhenEmpty' ? 'when-empty' : 'when-empty-or-underutilized',
    consolidateAfterMs: afterMs === undefined ? 'never' : Math.min(afterMs, LONGEST_CONSOLIDATE_AFTER_MS),
    budgets: budgets.map(({ nodes = BUDGET_NODES, reasons, schedule, duration }) => ({
      nodes,
      ...defined({ reasons: reasons?.map((reason) => REASONS[reason]), schedule, durationMs: timeOf(duration) }),
    })),
  };
}

const REASONS = { Empty: 'empty', Underutilized: 'underutilized', Drifted: 'drifted' } as const;

/** In ms; undefined for `Never`. */
function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDurationMs(text);
}

function toRequirement({ key, operator, values = [] }: WrittenRequirement): NodeSelectorRequirement {
  switch (operator) {
    case 'Exists':
    case 'DoesNotExist':
      return { key, operator };
    // Values are whole numbers.
    case 'Gte':
      return { key, operator: 'Gt', values: values.map((value) => String(BigInt(value) - 1n)) };
    case 'Lte':
      return { key, operator: 'Lt', values: values.map((value) => String(BigInt(value) + 1n)) };
    default:
      return { key, operator, values: [...values] };
  }
}

function toTaint({ key, value, effect }: Taint): Taint {
  return { key, effect, ...defined({ value }) };
}

function readLimits(limits: Readonly<Record<string, string | number>>, where: string): Pick<Pool, 'limits'> {
  const read = (resource: string, parse: (text: string) => number): number | undefined => {
    const written = limits[resource];
    if (written === undefined) return undefined;
    try {
      return parse(String(written));
    } catch (error) {
      if (error instanceof QuantityError) throw new LoadError(`${where}: spec.limits.${resource}: ${error.message}`);
      throw error;
    }
  };
  const cpu = read('cpu', (text) => toMilli(text) / 1_000);
  const memoryMiB = read('memory', (text) => Math.floor(toWhole(text) / MIB));
  const nodes = read('nodes', toWhole);
  if (cpu === undefined && memoryMiB === undefined && nodes === undefined) return {};
  return {
    limits: {
      ...defined({ cpu, memoryMiB, nodes }),
    },
  };
}
