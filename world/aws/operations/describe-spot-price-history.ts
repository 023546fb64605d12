import type { DescribeSpotPriceHistoryRequest, DescribeSpotPriceHistoryResult, SpotPrice } from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../../model/catalogue.ts';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { SPOT_PRICE_STEP_MS } from '../market.ts';
import type { Account } from '../operation.ts';
import { cutPage, decodeToken } from '../pages.ts';
import { toSdkType } from '../sdk-types.ts';
import { wholeSecond } from '../times.ts';

/** A request may ask for more, as Karpenter's do; EC2 accepts that, but returns no more than this per page. */
const PAGE_MAX = 1_000;
const PAGE = { min: 1, max: PAGE_MAX, byDefault: PAGE_MAX };
const PRODUCT = 'Linux/UNIX';
/** EC2 keeps 90 days. One day is enough for an autoscaler's decisions, and is the default when a request has no start. */
const HISTORY_MS = 24 * 3_600_000;

interface Entry {
  readonly type: InstanceType;
  readonly zone: string;
  readonly sinceMs: number;
  readonly usdPerHour: number;
}

const ATTRIBUTES: Attributes<Entry> = {
  'availability-zone': ({ zone }) => [zone],
  'instance-type': ({ type }) => [type.type],
  'product-description': () => [PRODUCT],
  'spot-price': ({ usdPerHour }) => [formatPrice(usdPerHour)],
};

/**
 * Lists spot prices by type and zone, newest first: for each pool every change from the end back to the price that was
 * in effect at the start.
 */
export function describeSpotPriceHistory(account: Account, request: DescribeSpotPriceHistoryRequest): DescribeSpotPriceHistoryResult {
  const { Filters, MaxResults = PAGE_MAX, NextToken, InstanceTypes, ProductDescriptions = [PRODUCT], AvailabilityZone } = request;
  const nowMs = account.clock.nowMs();
  const endMs = Math.min(toMs(request.EndTime) ?? nowMs, nowMs);
  const startMs = Math.min(Math.max(toMs(request.StartTime) ?? 0, nowMs - HISTORY_MS), endMs);
  const isAsked = ProductDescriptions.some((product) => product.startsWith(PRODUCT));
  const names = InstanceTypes === undefined ? undefined : new Set<string>(InstanceTypes);
  // Earlier types were on earlier pages: their prices need not be computed again.
  const [firstType = ''] = NextToken === undefined || NextToken === '' ? [] : decodeToken(NextToken).split(' ');
  const types = [...account.catalogue.types.values()].filter(({ type, usageClasses }) => {
    return isAsked && usageClasses.includes('spot') && (names?.has(type) ?? true) && type >= firstType;
  });
  const entries = types.flatMap((type) =>
    type.zones
      .filter((zone) => AvailabilityZone === undefined || zone === AvailabilityZone)
      .flatMap((zone) => history(account, type, zone, startMs, endMs)),
  );
  const matches = matchFilters(Filters, ATTRIBUTES);
  const { items, nextToken = '' } = cutPage(
    entries.filter(matches),
    keyOf,
    { MaxResults: Math.min(MaxResults, PAGE_MAX), NextToken },
    PAGE,
  );
  return { SpotPriceHistory: items.map(writePrice), NextToken: nextToken };
}

function history({ market }: Account, type: InstanceType, zone: string, startMs: number, endMs: number): Entry[] {
  const entries: Entry[] = [];
  for (let atMs = endMs; ; atMs -= SPOT_PRICE_STEP_MS) {
    const { usdPerHour, sinceMs } = market.spotPrice(type, zone, atMs);
    entries.push({ type, zone, sinceMs, usdPerHour });
    if (sinceMs <= startMs) return entries;
  }
}

function formatPrice(usdPerHour: number): string {
  return usdPerHour.toFixed(6);
}

function writePrice({ type, zone, sinceMs, usdPerHour }: Entry): SpotPrice {
  return {
    AvailabilityZone: zone,
    InstanceType: toSdkType(type.type),
    ProductDescription: PRODUCT,
    SpotPrice: formatPrice(usdPerHour),
    Timestamp: wholeSecond(sinceMs),
  };
}

/** Sorts by type, zone, and the newest first. */
function keyOf({ type, zone, sinceMs }: Entry): string {
  return `${type.type} ${zone} ${String(Number.MAX_SAFE_INTEGER - sinceMs)}`;
}

/** Inputs have timestamps as text, whatever the SDK's types say. @throws Ec2Refusal for text that is not a time */
function toMs(time: Date | undefined): number | undefined {
  if (time === undefined) return undefined;
  const ms = Date.parse(String(time));
  if (Number.isNaN(ms)) throw invalidValue(`Invalid value '${String(time)}' for a time`);
  return ms;
}
