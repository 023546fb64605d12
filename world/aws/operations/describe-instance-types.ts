import type { DescribeInstanceTypesRequest, DescribeInstanceTypesResult } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal, invalidValue } from '../../../protocols/ec2/refusal.ts';
import { constantAnswers } from '../constant-answers.ts';
import { matchFilters } from '../filters.ts';
import { INSTANCE_TYPE_ATTRIBUTES } from '../instance-type-filters.ts';
import { writeInstanceType } from '../instance-type-view.ts';
import { cutPage } from '../pages.ts';

const PAGE = { min: 5, max: 100, byDefault: 100 };
const IDS_MAX = 100;

/** Lists the catalogue's types. What the catalogue does not know of a type is omitted. */
export const describeInstanceTypes = constantAnswers((catalogue, request: DescribeInstanceTypesRequest): DescribeInstanceTypesResult => {
  const { InstanceTypes: names = [], Filters, MaxResults, NextToken } = request;
  if (names.length > IDS_MAX) throw invalidValue(`At most ${IDS_MAX} instance types can be asked for by one request`);
  if (names.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter InstanceTypes cannot be used with the parameter MaxResults');
  }
  const unknown = names.filter((name) => !catalogue.types.has(name));
  if (unknown.length > 0) {
    throw new Ec2Refusal('InvalidInstanceType', `The following supplied instance types do not exist: [${unknown.join(', ')}]`);
  }
  const asked: ReadonlySet<string> = new Set(names);
  const matches = matchFilters(Filters, INSTANCE_TYPE_ATTRIBUTES);
  const types = [...catalogue.types.values()].filter(({ type }) => asked.size === 0 || asked.has(type)).map(writeInstanceType);
  const { items, nextToken } = cutPage(types.filter(matches), ({ InstanceType: type = '' }) => type, { MaxResults, NextToken }, PAGE);
  return { InstanceTypes: [...items], ...defined({ NextToken: nextToken }) };
});
