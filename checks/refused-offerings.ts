import { z } from 'zod';
import type { Bound } from '../history/events.ts';
import { gapDueMs, setbacksOf } from '../history/ledger.ts';
import { isLaunch } from '../history/launch-requests.ts';
import type { RequestLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { CapacityType, NamedOffering } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** How long a refused offering must be avoided. */
const MASK_BOUND = 'masked-offering';
/** Longest time from the decision to launch to the request. */
const LAG_BOUND = 'launch-lag';
/** The error code for missing capacity. */
const NO_CAPACITY = 'InsufficientInstanceCapacity';

/**
 * While the target says it avoids offerings without capacity, no launch names an offering that EC2 reported as having none, not
 * even as one of many: it would be tried first, and refused again.
 *
 * Only what the target learnt counts, within the same incarnation: responses may be lost, and the list of avoided offerings may
 * be lost with the process. Launches that were decided earlier may be under way, so those within the bound of a launch are
 * ignored, and for longer after anything that delayed requests; so are retries with the same token. An offering that was
 * launched since has capacity again.
 */
export const refusedOfferings: Check = {
  name: 'refused-offerings',
  summary: 'an offering that was refused for lack of capacity is not requested again for a while',
  codes: { 'refused-offering-asked-again': 'an offering without capacity was requested again sooner than the target declares' },
  judge: (view) => {
    const launches = [...view.requests.values()].filter((request) => isLaunch(view, request));
    const refusals = launches.flatMap(refusalsOf);
    if (refusals.length === 0) return undefined;
    return withBound(view, MASK_BOUND, (mask) =>
      withBound(view, LAG_BOUND, (lag) => judgeLaunches(view, { launches, refusals, maskBound: mask, lagMs: lag.value })),
    );
  },
};

/** An offering that a launch requests, or that was refused. */
interface Asked {
  readonly request: RequestLife;
  readonly offering: NamedOffering & { readonly capacityType: CapacityType };
}

/** The target has learnt that there is no capacity. */
interface Refusal extends Asked {
  readonly learnt: NonNullable<RequestLife['end']>;
}

interface Again extends Asked {
  readonly refusal: Refusal;
  /** How long it was avoided. */
  readonly value: number;
  /** The operation. */
  readonly object: string;
}

function judgeLaunches(
  view: View,
  { launches, refusals, maskBound, lagMs }: { launches: RequestLife[]; refusals: Refusal[]; maskBound: Bound; lagMs: number },
): Part {
  const byPlace = groupByPlace(refusals);
  const setbacks = delaysOf(view, launches);
  const again = withoutRepeats(launches).flatMap((request) => {
    const askedAgain = askedBy(request).flatMap((asked): Again[] => {
      const { start } = asked.request;
      const refusal = placesOf(asked.offering)
        .flatMap((place) => byPlace.get(place) ?? [])
        .filter(({ learnt, request: { start: refused } }) => learnt.i < start.i && refused.incarnation === start.incarnation)
        .findLast((one) => start.t > (gapDueMs(setbacks, { fromMs: one.learnt.t }, lagMs) ?? Infinity));
      if (refusal === undefined || isLaunchedBetween(view, refusal, asked)) return [];
      return [{ ...asked, refusal, value: start.t - refusal.learnt.t, object: start.operation }];
    });
    // One finding per request: where one offering is requested too soon, others mostly are too.
    const soonest = askedAgain.sort((a, b) => a.value - b.value)[0];
    return soonest === undefined ? [] : [soonest];
  });
  const early = again.filter(({ value }) => value < maskBound.value);
  const findings = early.map((one) => findingFor(one, maskBound));
  const summary = `${early.length} of ${count(launches.length, 'launch request')} asked again for an offering that had just been refused`;
  return safetyPart(view, findings, summary, [measure(maskBound, again)]);
}

/** The offerings that a response refused by name. */
function refusalsOf(request: RequestLife): Refusal[] {
  const { end } = request;
  if (end === undefined || end.outcome === 'info') return [];
  const asked = askedBy(request);
  // A request for a single offering is refused as a whole.
  if (end.outcome === 'fail') return end.code === NO_CAPACITY && asked.length === 1 ? asked.map((one) => ({ ...one, learnt: end })) : [];
  return (end.refused ?? []).flatMap(({ capacityType, instanceType, zone, subnet }) => {
    const types = capacityType === undefined ? [...new Set(asked.map(({ offering }) => offering.capacityType))] : [capacityType];
    return types.map((type) => {
      const place = defined({ zone, subnet });
      return { request, offering: { instanceType, capacityType: type, ...place }, learnt: end };
    });
  });
}

/** The parameters of CreateFleet and RunInstances that name offerings. */
const fleetSchema = z.object({
  LaunchTemplateConfigs: z.array(
    z.object({
      Overrides: z
        .array(z.object({ InstanceType: z.string().optional(), AvailabilityZone: z.string().optional(), SubnetId: z.string().optional() }))
        .default([]),
    }),
  ),
  TargetCapacitySpecification: z.object({
    DefaultTargetCapacityType: z.string().default('on-demand'),
    SpotTargetCapacity: z.number().default(0),
    OnDemandTargetCapacity: z.number().default(0),
  }),
});
const runSchema = z.object({
  InstanceType: z.string(),
  SubnetId: z.string().optional(),
  Placement: z.object({ AvailabilityZone: z.string().optional() }).default({}),
  InstanceMarketOptions: z.object({ MarketType: z.string().optional() }).default({}),
});
const tokenSchema = z.object({ ClientToken: z.string() });

/** The offerings that a launch names. Nothing is known about those in a launch template. */
function askedBy(request: RequestLife): Asked[] {
  const { input } = request.start;
  const fleet = fleetSchema.safeParse(input);
  if (fleet.success) {
    const { LaunchTemplateConfigs: configs, TargetCapacitySpecification: capacity } = fleet.data;
    const isAsked = { spot: capacity.SpotTargetCapacity > 0, 'on-demand': capacity.OnDemandTargetCapacity > 0 };
    isAsked[capacity.DefaultTargetCapacityType === 'spot' ? 'spot' : 'on-demand'] = true;
    const types = (['spot', 'on-demand'] as const).filter((type) => isAsked[type]);
    return configs.flatMap(({ Overrides }) =>
      Overrides.flatMap(({ InstanceType, AvailabilityZone, SubnetId }) => {
        return types.flatMap((capacityType) => askFor(request, capacityType, InstanceType, AvailabilityZone, SubnetId));
      }),
    );
  }
  const run = runSchema.safeParse(input);
  if (!run.success) return [];
  const capacityType = run.data.InstanceMarketOptions.MarketType === 'spot' ? 'spot' : 'on-demand';
  return askFor(request, capacityType, run.data.InstanceType, run.data.Placement.AvailabilityZone, run.data.SubnetId);
}

function askFor(
  request: RequestLife,
  capacityType: CapacityType,
  instanceType: string | undefined,
  zone: string | undefined,
  subnet: string | undefined,
): Asked[] {
  if (instanceType === undefined || (zone === undefined && subnet === undefined)) return [];
  const place = defined({ zone, subnet });
  return [{ request, offering: { instanceType, capacityType, ...place } }];
}

/** The names of an offering: errors and requests may give the zone, the subnet or both. */
function placesOf({ capacityType, instanceType, zone, subnet }: Asked['offering']): string[] {
  return [zone, subnet].flatMap((place) => (place === undefined ? [] : [`${capacityType} ${instanceType} in ${place}`]));
}

function groupByPlace(refusals: readonly Refusal[]): ReadonlyMap<string, readonly Refusal[]> {
  const groups = new Map<string, Refusal[]>();
  for (const refusal of [...refusals].sort((a, b) => a.learnt.i - b.learnt.i)) {
    for (const place of placesOf(refusal.offering)) {
      const group = groups.get(place);
      if (group === undefined) groups.set(place, [refusal]);
      else group.push(refusal);
    }
  }
  return groups;
}

/** Launches without retries: a request with the same token is the same launch. */
function withoutRepeats(launches: readonly RequestLife[]): RequestLife[] {
  const seen = new Set<string>();
  return launches.filter(({ start: { input } }) => {
    const token = tokenSchema.safeParse(input).data?.ClientToken;
    const isRepeat = token !== undefined && seen.has(token);
    if (token !== undefined) seen.add(token);
    return !isRepeat;
  });
}

/**
 * What may delay a launch between its decision and its request, in order: faults, crashes, and launches that failed for
 * another reason than missing capacity, such as throttling. A refusal for missing capacity does not delay anything.
 */
function delaysOf(view: View, launches: readonly RequestLife[]): ReturnType<typeof setbacksOf> {
  const refused = new Set(launches.filter((request) => refusalsOf(request).length > 0).map(({ span }) => span));
  const faults = view.faults.map((fault) => {
    return { ...fault, fired: fault.fired.filter(({ span }) => span === undefined || !refused.has(span)) };
  });
  const failed = launches.flatMap(({ end, span }) => {
    return end === undefined || end.outcome === 'ok' || refused.has(span) ? [] : [{ fromMs: end.t, toMs: end.t }];
  });
  return [...setbacksOf({ ...view, faults }, 'any-request'), ...failed].sort((a, b) => a.fromMs - b.fromMs);
}

/** Whether an instance of the offering was launched in between, which shows that there was capacity again. */
function isLaunchedBetween(view: View, { learnt, offering: refused }: Refusal, { request, offering }: Asked): boolean {
  const zone = offering.zone ?? refused.zone;
  return view.instances.some(
    ({ launched, instanceType, capacityType, zone: place }) =>
      launched.i > learnt.i &&
      launched.i < request.start.i &&
      instanceType === offering.instanceType &&
      capacityType === offering.capacityType &&
      (zone === undefined || place === zone),
  );
}

function findingFor(again: Again, bound: Bound): Finding {
  const { request, refusal, value, object } = again;
  const [place] = placesOf({ ...refusal.offering, ...again.offering });
  return {
    code: 'refused-offering-asked-again',
    object,
    events: indexes([...eventsOf(refusal.request), ...eventsOf(request)]),
    message: `At ${duration(request.start.t)} ${request.start.operation} asked for ${place ?? object}, ${duration(value)} after an answer had said that it has no capacity (${nameBound(bound)}).`,
  };
}
