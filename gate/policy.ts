import { z } from 'zod';
import { LATENCY_STEPS } from '../history/events.ts';
import { WHOLE_PHASES } from '../history/latency.ts';
import { objectError } from '../model/field-errors.ts';
import { trialsToAccept } from './statistics/sequential.ts';
import { unitsForQuantile } from './statistics/quantile.ts';

/** A policy is not valid. The message names the field, what is wrong and the valid values. */
export class PolicyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PolicyError';
  }
}

const number = (what: string): z.ZodNumber => z.number(`must be ${what}`);
const probability = number('a number between 0 and 1').gt(0, 'must be more than 0').lt(1, 'must be less than 1');
/** The error rate of a test; 0.5 is a coin toss. */
const errorRate = probability.max(0.5, 'must be at most 0.5');
/** All looks share the allowed error rate: with too many, none could decide. */
const MAX_LOOKS = 50;

const whole = z.int('must be a whole number').positive('must be at least 1').max(10_000, 'must be at most 10000');
const STARTS = Object.values(WHOLE_PHASES).map((phase) => phase.split(' -> ')[0] ?? '');

const phase = z.string('must be a text such as "pending -> running"').refine((text) => isPhase(text), {
  error: ({ input }) =>
    `must be two steps such as "pending -> running", not ${JSON.stringify(input)}; steps are healed, ${LATENCY_STEPS.join(', ')}`,
});

function isPhase(text: string): boolean {
  const [from = '', to = '', ...more] = text.split(' -> ');
  const steps: readonly string[] = LATENCY_STEPS;
  return more.length === 0 && (from === 'healed' || steps.includes(from)) && steps.indexOf(to) > Math.max(0, steps.indexOf(from));
}

/** A pod must not be counted twice: several phases need the same end, and starts that different pods have. */
function areOfDifferentPods(phases: readonly string[]): boolean {
  const ways = phases.map((text) => text.split(' -> '));
  const starts = ways.map(([from = '']) => from);
  return (
    phases.length === 1 ||
    (new Set(ways.map(([, to]) => to)).size === 1 &&
      new Set(starts).size === starts.length &&
      starts.every((from) => STARTS.includes(from)))
  );
}

const success = z
  .strictObject(
    {
      /** A share of episodes with all pods in time that is good enough. */
      p0: probability.default(0.999),
      /** A share that is not. The wider the gap, the fewer episodes: 59 clean ones for 0.95, 326 for 0.99. */
      p1: probability.default(0.95),
      /** The error rate of rejecting a candidate that succeeds with p0. */
      alpha: errorRate.default(0.05),
      /** The error rate of promoting a candidate that succeeds with p1. */
      beta: errorRate.default(0.05),
    },
    { error: objectError },
  )
  .refine(({ p0, p1 }) => p1 < p0, 'must have a p1 less than p0: what is not good enough, and what is')
  .refine(({ alpha, beta }) => alpha + beta < 1, 'must have an alpha and a beta that are less than 1 together');

const margin = number('a number, 0.1 for 10 %').positive('must be more than 0');

const latency = z.strictObject(
  {
    /** Error rates, each for shift and tail: rejecting a candidate as fast as the baseline, and promoting one slower by the margin. */
    alpha: errorRate.default(0.025),
    /** For the typical wait: slower by less does not matter. Boot times on two days differ by about as much. */
    marginRatio: margin.default(0.1),
    /** For the tail. It is wider, since hundreds of episodes say little about the slowest one in twenty. */
    tailMarginRatio: margin.default(0.25),
    /** The phases that are judged, together: by default the whole wait of every pod, from its creation or from the heal. */
    phases: z
      .array(phase, 'must be a list of phases')
      .nonempty('must name a phase')
      .refine(areOfDifferentPods, 'must not count a pod twice: several phases have the same end, and begin with pending or healed')
      .default([WHOLE_PHASES.fromCreation, WHOLE_PHASES.fromHeal]),
    /** Where the tail starts. */
    quantile: probability.min(0.5, 'must be at least 0.5').default(0.95),
  },
  { error: objectError },
);

const budget = number('a ratio to the baseline').min(1, 'must be at least 1: as much as the baseline');

/** `none`: not judged, for example because the world doesn't record it. */
const budgetOrNone = z.union([budget, z.literal('none')], 'must be a ratio to the baseline, 1 at least, or none');

const budgets = z.strictObject(
  {
    /** Error rates for each budget: rejecting a candidate within it, and promoting one that exceeds it. */
    alpha: errorRate.default(0.025),
    /** Cost over the baseline's. 10 % is more than the choice among equal offerings matters, and less than the next instance size. */
    costRatio: budgetOrNone.default(1.1),
    /**
     * Requests over the baseline's. If the baseline is not throttled, 25 % more is far from the limits of EC2 and API servers; an
     * added retry loop or poll is more.
     */
    requestsRatio: budgetOrNone.default(1.25),
  },
  { error: objectError },
);

const episodes = z
  .strictObject(
    {
      /**
       * Seeds of each scenario before anything is promoted. Many bugs need an unlucky order of events: one that shows in half of a
       * scenario's trials is missed by one seed in half of the gates, and by three in one of eight.
       */
      seeds: whole.default(3),
      /** Pairs before anything is compared: enough for the sequential test (59) and for the tail (72). */
      first: whole.default(75),
      /** Further pairs each time that there is no decision. */
      step: whole.default(75),
      /** After that it holds. This is enough to outweigh three failed episodes. */
      max: whole.default(300),
    },
    { error: objectError },
  )
  .refine(({ first, max }) => first <= max, 'must have a first of max at most')
  .refine((plan) => plannedLooks(plan) <= MAX_LOOKS, `must look at most ${MAX_LOOKS} times: raise step`);

const unknown = z.strictObject(
  {
    /** Episodes without a verdict are neither success nor failure; with a larger share of them the gate holds. */
    maxShare: number('a share, 0 to 1').min(0, 'must be at least 0').lt(1, 'must be less than 1').default(0.05),
  },
  { error: objectError },
);

const existing = z.strictObject(
  {
    /** Failures that the baseline has too, in the same scenario: `reject` counts them as any other, `accept` only if they become more frequent. */
    failures: z.enum(['reject', 'accept'], 'must be reject or accept').default('reject'),
  },
  { error: objectError },
);

const schema = z
  .strictObject(
    {
      success: success.prefault({}),
      latency: latency.prefault({}),
      budgets: budgets.prefault({}),
      episodes: episodes.prefault({}),
      unknown: unknown.prefault({}),
      existing: existing.prefault({}),
    },
    { error: objectError },
  )
  .superRefine((policy, { addIssue }) => {
    const { max } = policy.episodes;
    const clean = trialsToAccept(policy.success, 0);
    const complain = (path: readonly string[], message: string): void => addIssue({ code: 'custom', path: [...path], message });
    if (clean > max)
      complain(['success'], `needs ${clean} clean episodes, and episodes.max is ${max}: nothing could be promoted; raise max, or lower p1`);
    const units = unitsForQuantile(policy.latency.quantile, policy.latency.alpha);
    if (units > max)
      complain(
        ['latency', 'quantile'],
        `of ${policy.latency.quantile} needs ${units} episodes at alpha ${policy.latency.alpha}, and episodes.max is ${max}: nothing could be promoted; raise max, or lower the quantile`,
      );
  });

/** The rules for a candidate. docs/gate.md lists every key. */
export type Policy = Readonly<z.infer<typeof schema>>;

/**
 * Validates the content of a policy file, and fills in defaults. An empty file is the default policy.
 * @param where its name in errors
 * @throws PolicyError that names each field that is wrong
 */
export function parsePolicy(value: unknown, where = 'the policy'): Policy {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.length === 0 ? 'it' : path.map(String).join('.')} ${message}`);
  throw new PolicyError(`${where}: ${problems.join('; ')}`);
}

/** The same policy, except that it accepts failures that the baseline has too. */
export function acceptingExisting(policy: Policy): Policy {
  return { ...policy, existing: { failures: 'accept' } };
}

/** Which values of a key pass candidates that the default holds or rejects; for a list, those that lack an entry of the default. */
type Laxer = 'less' | 'more' | 'lacking' | 'accept' | 'never';

const LAXER: { readonly [Section in keyof Policy]: { readonly [Key in keyof Policy[Section]]: Laxer } } = {
  success: { p0: 'less', p1: 'less', alpha: 'less', beta: 'more' },
  latency: { alpha: 'more', marginRatio: 'more', tailMarginRatio: 'more', phases: 'lacking', quantile: 'less' },
  budgets: { alpha: 'more', costRatio: 'more', requestsRatio: 'more' },
  // Violations of invariants need a number of episodes to show. The number of looks does not matter: looks share the error rate.
  episodes: { seeds: 'less', first: 'less', step: 'never', max: 'never' },
  unknown: { maxShare: 'more' },
  existing: { failures: 'accept' },
};

/** A value that passes candidates that the default holds or rejects. */
export interface LaxerValue {
  readonly key: string;
  readonly given: unknown;
  readonly usual: unknown;
}

/** Where a policy is laxer than the default, in one sentence or none, so that nobody trusts its promotion more than they should. */
export function notesOnLaxer(policy: Policy): string[] {
  return describeLaxer(laxerValues(policy));
}

/** By names such as `success.p0`. */
export function laxerValues(policy: Policy): LaxerValue[] {
  const [ways, defaults] = [byKey(LAXER), byKey(parsePolicy({}))];
  return [...byKey(policy)]
    .map(([key, given]) => ({ key, given, usual: defaults.get(key) }))
    .filter(({ key, given, usual }) => isLaxer(ways.get(key), given, usual));
}

/** In one sentence, or none. */
export function describeLaxer(values: readonly LaxerValue[]): string[] {
  const texts = values.map(({ key, given, usual }) => `${key} ${formatValue(given)} (${formatValue(usual)})`);
  return texts.length === 0 ? [] : [`laxer than the default: ${texts.join(', ')}`];
}

/** The values of all sections, by names such as `success.p0`. */
function byKey(sections: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Map<string, unknown> {
  return new Map(
    Object.entries(sections).flatMap(([section, keys]) =>
      Object.entries(keys).map(([key, value]) => [`${section}.${key}`, value] as const),
    ),
  );
}

function isLaxer(way: unknown, given: unknown, usual: unknown): boolean {
  if (Array.isArray(given) && Array.isArray(usual)) return way === 'lacking' && usual.some((one) => !given.includes(one));
  if (way === 'accept') return given === way && usual !== way;
  // A budget that is not judged.
  if (given === 'none') return usual !== 'none';
  if (typeof given !== 'number' || typeof usual !== 'number') return false;
  return (way === 'less' && given < usual) || (way === 'more' && given > usual);
}

function formatValue(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

/** When a gate looks at the episodes. */
interface Plan {
  readonly first: number;
  readonly step: number;
  readonly max: number;
}

/** The number of looks before the gate holds. They share the allowed error rate. */
export function plannedLooks({ first, step, max }: Plan): number {
  return 1 + Math.ceil((max - first) / step);
}

/** The number of episodes for the next look; undefined if the maximum is reached. */
export function nextLook({ first, step, max }: Plan, seen: number): number | undefined {
  if (seen >= max) return undefined;
  return seen < first ? first : Math.min(max, first + step * (Math.floor((seen - first) / step) + 1));
}
