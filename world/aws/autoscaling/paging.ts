import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { cutPage } from '../pages.ts';
import { constraintError } from './refusals.ts';

const PAGE_DEFAULT = 50;
const PAGE_MAX = 100;

/**
 * One page of a list. @param items in ascending order of their keys
 * @throws QueryRefusal for a page length out of its limits, or an invalid token
 */
export function page<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { MaxRecords: asked = PAGE_DEFAULT, NextToken }: { readonly MaxRecords?: number | undefined; readonly NextToken?: string | undefined },
  byDefault = PAGE_MAX,
): { readonly items: readonly T[]; readonly more: { readonly NextToken?: string } } {
  if (!(asked >= 1)) throw constraintError('maxRecords', asked, 'Member must have value greater than or equal to 1');
  if (asked > byDefault) throw constraintError('maxRecords', asked, `Member must have value less than or equal to ${byDefault}`);
  try {
    const { items: cut, nextToken } = cutPage(items, keyOf, { MaxResults: asked, NextToken }, { min: 1, max: PAGE_MAX });
    return { items: cut, more: nextToken === undefined ? {} : { NextToken: nextToken } };
  } catch (error) {
    if (error instanceof Ec2Refusal) throw new QueryRefusal('InvalidNextToken', 'The NextToken value is not valid.');
    throw error;
  }
}
