import { Ec2Refusal, invalidValue } from '../../protocols/ec2/refusal.ts';

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly nextToken?: string;
}

/** The limits of a page's length. */
interface PageLimits {
  readonly min: number;
  readonly max: number;
  /** Page length if the request sets none; absent: everything at once. */
  readonly byDefault?: number;
}

/**
 * Cuts one page out of a list. The token names the item after which the next page starts, so that items which are added or
 * removed between two pages neither repeat nor hide others.
 * @param items in ascending order of their keys (by code units)
 * @throws Ec2Refusal for a page length out of its limits, or an invalid token
 */
export function cutPage<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  { MaxResults: asked, NextToken: token }: { MaxResults?: number | undefined; NextToken?: string | undefined },
  limits: PageLimits,
): Page<T> {
  if (asked !== undefined && !(asked >= limits.min)) throw outOfLimits(asked, `greater than or equal to ${limits.min}`);
  if (asked !== undefined && !(asked <= limits.max)) throw outOfLimits(asked, `less than or equal to ${limits.max}`);
  const length = asked ?? limits.byDefault ?? Infinity;
  const after = token === undefined || token === '' ? undefined : decodeToken(token);
  const start = after === undefined ? 0 : firstAfter(items, keyOf, after);
  const page = items.slice(start, start + length);
  const last = page.at(-1);
  const isLast = last === undefined || start + page.length >= items.length;
  return isLast ? { items: page } : { items: page, nextToken: encodeToken(keyOf(last)) };
}

/** The index of the first item whose key is greater, by binary search. */
function firstAfter<T>(items: readonly T[], keyOf: (item: T) => string, key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

function outOfLimits(value: number, expected: string): Ec2Refusal {
  return invalidValue(`Value ( ${value} ) for parameter maxResults is invalid. Expecting a value ${expected}.`);
}

const TOKEN_PREFIX = 'after:';

function encodeToken(key: string): string {
  return Buffer.from(`${TOKEN_PREFIX}${key}`).toString('base64url');
}

/** The key after which a token's page starts. @throws Ec2Refusal for an invalid token */
export function decodeToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString();
  if (!text.startsWith(TOKEN_PREFIX)) {
    throw new Ec2Refusal('InvalidPaginationToken', 'The specified pagination token is not valid or is expired.');
  }
  return text.slice(TOKEN_PREFIX.length);
}
