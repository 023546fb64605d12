import type { Filter } from '@aws-sdk/client-ec2';
import { Ec2Refusal, invalidValue } from '../../protocols/ec2/refusal.ts';
import { globMatcher } from './glob.ts';

/** Values of one filter, and in all filters of a request. Source: "List and filter using the CLI and API". */
const VALUES_MAX = 200;

/** The supported filters: for each name, a function that returns an item's values. */
export type Attributes<T> = Readonly<Record<string, (item: T) => readonly string[]>>;

/** The filters of everything that has tags. `tag:KEY` is supported besides, see `matchFilters`. */
export function tagAttributes<T>(tagsOf: (item: T) => Readonly<Record<string, string>>): Attributes<T> {
  return { 'tag-key': (item) => Object.keys(tagsOf(item)) };
}

/** A value that a description shows. */
export type Shown = string | number | boolean | Date | undefined;

/** Filters on what a description shows: times, numbers and booleans as text, what is absent as no value. */
export function described<T, D>(
  values: Readonly<Record<string, (description: D) => readonly Shown[]>>,
  describe: (item: T) => D,
): Attributes<T> {
  return Object.fromEntries(
    Object.entries(values).map(([name, valuesOf]) => [name, (item: T): string[] => valuesOf(describe(item)).flatMap(textOf)]),
  );
}

function textOf(value: Shown): string[] {
  if (value === undefined) return [];
  return [value instanceof Date ? value.toISOString() : String(value)];
}

/**
 * Creates a predicate from filters: an item must match each filter, by any of its values. `*` and `?` are wildcards, and a
 * backslash escapes them.
 * @param tagsOf for items that have tags, to support `tag:KEY`
 * @throws Ec2Refusal for a filter that this list does not support, or without values
 */
export function matchFilters<T>(
  filters: readonly Filter[] | undefined,
  attributes: Attributes<T>,
  tagsOf?: (item: T) => Readonly<Record<string, string>>,
): (item: T) => boolean {
  const predicates = (filters ?? []).map(({ Name: name, Values: values }) => {
    const valuesOf = name === undefined ? undefined : attributeOf(name, attributes, tagsOf);
    if (valuesOf === undefined) throw invalidValue(`The filter '${name ?? 'null'}' is invalid`);
    if (values === undefined || values.length === 0) throw invalidValue(`The filter '${name}' has no values`);
    if (values.length > VALUES_MAX) {
      throw new Ec2Refusal('FilterLimitExceeded', `The maximum number of filter values specified on a single call is ${VALUES_MAX}`);
    }
    const match = matchAny(values);
    return (item: T): boolean => valuesOf(item).some(match);
  });
  return (item) => predicates.every((matches) => matches(item));
}

/** The values of a filter of which an item must have one: undefined if another kind of filter may match more. */
export function valuesOfFilter(filters: readonly Filter[] | undefined, name: string): ReadonlySet<string> | undefined {
  const values = filters?.find((filter) => filter.Name === name)?.Values;
  return values === undefined || values.some(hasWildcard) ? undefined : new Set(values);
}

function attributeOf<T>(
  name: string,
  attributes: Attributes<T>,
  tagsOf: ((item: T) => Readonly<Record<string, string>>) | undefined,
): ((item: T) => readonly string[]) | undefined {
  if (tagsOf !== undefined && name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return (item) => {
      const tags = tagsOf(item);
      return Object.hasOwn(tags, key) ? [tags[key] ?? ''] : [];
    };
  }
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

function hasWildcard(pattern: string): boolean {
  return /[*?\\]/.test(pattern);
}

function matchAny(patterns: readonly string[]): (value: string) => boolean {
  const literals = new Set(patterns.filter((pattern) => !hasWildcard(pattern)));
  const wildcards = patterns.filter(hasWildcard).map(globMatcher);
  return (value) => literals.has(value) || wildcards.some((matches) => matches(value));
}
