import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { InstanceType } from '../../model/catalogue.ts';
import type { Catalogue } from '../../model/instance-catalogue.ts';
import { JsonRefusal } from '../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { JsonService, readInput } from './json-service.ts';

/** As in requests. */
export const PRICING_TARGET = 'AWSPriceListService';
const SERVICE_CODE = 'AmazonEC2';
/** Source: "GetProducts" of the Price List Query API. */
const PAGE_MAX = 100;
const FILTERS_MAX = 50;
/** The offer term of on-demand prices and the hourly rate code, the same in all EC2 price lists. */
const ON_DEMAND_TERM = 'JRTCKXETXF';
const HOURLY_RATE = '6YS6EN2CT7';
const EFFECTIVE_DATE = '2026-01-01T00:00:00Z';
const SKU_LENGTH = 16;

const filterSchema = z.object({
  Type: z.enum(['TERM_MATCH', 'EQUALS', 'CONTAINS', 'ANY_OF', 'NONE_OF']),
  Field: z.string().min(1).max(1_024),
  Value: z.string().min(1).max(1_024),
});
type Filter = z.infer<typeof filterSchema>;

const requestSchema = z.object({
  ServiceCode: z.string().min(1).max(32),
  Filters: z.array(filterSchema).max(FILTERS_MAX).default([]),
  FormatVersion: z.literal('aws_v1').default('aws_v1'),
  MaxResults: z.number().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
  NextToken: z.string().nullish(),
});

/** One product, by its filterable fields: in lower case, since filters are case-insensitive. */
interface Product {
  readonly attributes: ReadonlyMap<string, string>;
  /** As in answers: JSON in a string. */
  readonly text: string;
}

/** Serves the price list: the on-demand prices of a region's instance types for Linux without additional software. Read-only. */
export function createPricing({
  catalogue,
  clock,
  random,
}: {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly random: Random;
}): JsonService {
  let products: readonly Product[] | undefined;
  return new JsonService({
    service: 'pricing',
    target: PRICING_TARGET,
    actions: {
      GetProducts: (input) => {
        const { ServiceCode: code, Filters: filters, MaxResults: size, NextToken: token, FormatVersion } = readInput(requestSchema, input);
        if (code !== SERVICE_CODE) throw refusal('NotFoundException', 'The requested resource cannot be found.');
        products ??= [...catalogue.types.values()].map((type) => writeProduct(type, catalogue.region));
        const found = products.filter(({ attributes }) => filters.every((filter) => matches(attributes, filter)));
        const start = readToken(token);
        const end = start + size;
        return {
          FormatVersion,
          PriceList: found.slice(start, end).map(({ text }) => text),
          ...(end < found.length ? { NextToken: writeToken(end) } : {}),
        };
      },
    },
    clock,
    random,
  });
}

function matches(attributes: ReadonlyMap<string, string>, { Type: type, Field: field, Value: asked }: Filter): boolean {
  const value = attributes.get(field.toLowerCase());
  if (value === undefined) return false;
  switch (type) {
    case 'TERM_MATCH':
    case 'EQUALS':
      return value === asked;
    case 'CONTAINS':
      return value.includes(asked);
    case 'ANY_OF':
      return asked.split(',').includes(value);
    case 'NONE_OF':
      return !asked.split(',').includes(value);
  }
}

function writeProduct(type: InstanceType, region: string): Product {
  const sku = createHash('sha256').update(`${region} ${type.type}`).digest('hex').slice(0, SKU_LENGTH).toUpperCase();
  const productFamily = type.bareMetal ? 'Compute Instance (bare metal)' : 'Compute Instance';
  const attributes = {
    servicecode: SERVICE_CODE,
    servicename: 'Amazon Elastic Compute Cloud',
    locationType: 'AWS Region',
    regionCode: region,
    instanceType: type.type,
    currentGeneration: type.currentGeneration ? 'Yes' : 'No',
    vcpu: String(type.vcpu),
    memory: `${type.memoryMiB / 1_024} GiB`,
    // The price list shows bare metal as dedicated.
    tenancy: type.bareMetal ? 'Dedicated' : 'Shared',
    operatingSystem: 'Linux',
    licenseModel: 'No License required',
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
    operation: 'RunInstances',
  };
  const term = `${sku}.${ON_DEMAND_TERM}`;
  const rate = `${term}.${HOURLY_RATE}`;
  const dimension = {
    unit: 'Hrs',
    endRange: 'Inf',
    description: `$${type.onDemandUsdPerHour} per On Demand Linux ${type.type} Instance Hour`,
    appliesTo: [],
    rateCode: rate,
    beginRange: '0',
    pricePerUnit: { USD: type.onDemandUsdPerHour.toFixed(10) },
  };
  const onDemand = {
    priceDimensions: { [rate]: dimension },
    sku,
    effectiveDate: EFFECTIVE_DATE,
    offerTermCode: ON_DEMAND_TERM,
    termAttributes: {},
  };
  const text = JSON.stringify({
    product: { productFamily, attributes, sku },
    serviceCode: SERVICE_CODE,
    terms: { OnDemand: { [term]: onDemand } },
    version: '20260101000000',
    publicationDate: EFFECTIVE_DATE,
  });
  const filterable = Object.entries({ ...attributes, productFamily, sku }).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { attributes: new Map(filterable), text };
}

const TOKEN_PREFIX = 'from:';

function writeToken(start: number): string {
  return Buffer.from(`${TOKEN_PREFIX}${start}`).toString('base64');
}

/** The start of a page. The list never changes, so an index is enough. */
function readToken(token: string | null | undefined): number {
  if (token === undefined || token === null || token === '') return 0;
  const [, start] = /^from:(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString()) ?? [];
  if (start === undefined)
    throw refusal('InvalidNextTokenException', 'The pagination token is invalid. Try again without a pagination token.');
  return Number(start);
}

function refusal(code: string, message: string): JsonRefusal {
  return new JsonRefusal(code, code, message);
}
