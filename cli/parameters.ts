import { z } from 'zod';
import { defined } from '../model/defined.ts';

/** One parameter of a fault, for a user who does not know it. */
export interface Parameter {
  readonly name: string;
  /** Valid values: `whole number >= 0`, `one | tried | all`, `list of text`. */
  readonly takes: string;
  readonly required: boolean;
  /** The default, if there is one. */
  readonly default?: unknown;
  readonly description?: string;
}

/** One set of parameters: most faults have one, faults with kinds have one per kind. */
export interface Form {
  readonly parameters: readonly Parameter[];
  /** Valid parameters, one set for each example in the schema: the required ones, and those with an example. */
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

type Schema = z.core.JSONSchema.BaseSchema;

/** The parameters of a schema: one form for each kind of a union, else one for the whole schema. */
export function formsOf(params: z.ZodType): Form[] {
  const schema = z.toJSONSchema(params, { io: 'input' });
  return (schema.oneOf ?? [schema]).filter(isSchema).map((form) => ({ parameters: parametersOf(form), examples: examplesOf(form) }));
}

function parametersOf({ properties = {}, required = [] }: Schema): Parameter[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (!isSchema(schema)) return [];
    const { description, default: fallback } = schema;
    return {
      name,
      takes: wordsFor(schema),
      required: required.includes(name),
      ...defined({ default: fallback, description }),
    };
  });
}

/** The valid values of a schema, in a few words. */
function wordsFor(schema: Schema): string {
  const { type, enum: values, const: only, items, oneOf, properties, additionalProperties } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (oneOf !== undefined) return oneOf.filter(isSchema).map(wordsFor).join(' | ');
  switch (type) {
    case 'array':
      return isSchema(items) ? `list of ${listed(wordsFor(items))}` : 'list';
    case 'object':
      if (properties !== undefined) return `{${fieldsOf(schema)}}`;
      return isSchema(additionalProperties) ? `map of ${wordsFor(additionalProperties)}` : 'object';
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'whole number' : 'number'}${rangeOf(schema)}`;
    default:
      return type === 'boolean' ? 'true | false' : 'anything';
  }
}

function listed(words: string): string {
  return words.includes(' | ') ? `(${words})` : words;
}

function fieldsOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${isSchema(schema) ? wordsFor(schema) : 'anything'}`)
    .join(', ');
}

/** Limits of the schema itself: every whole number in JSON has the limits of a double. */
function rangeOf({ minimum, maximum, exclusiveMinimum, type }: Schema): string {
  const isLimit = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const limits = [
    ...(isLimit(minimum) ? [`>= ${minimum}`] : []),
    ...(isLimit(exclusiveMinimum) ? [type === 'integer' ? `>= ${exclusiveMinimum + 1}` : `> ${exclusiveMinimum}`] : []),
    ...(isLimit(maximum) ? [`<= ${maximum}`] : []),
  ];
  return limits.length === 0 ? '' : ` ${limits.join(' and ')}`;
}

function examplesOf({ properties = {}, required = [] }: Schema): Record<string, unknown>[] {
  const given = Object.entries(properties).flatMap(([name, schema]) => {
    if (!isSchema(schema)) return [];
    const values: readonly unknown[] = schema.examples ?? (required.includes(name) ? [exampleOf(schema)] : []);
    return values.length === 0 ? [] : [{ name, values }];
  });
  const count = Math.max(1, ...given.map(({ values }) => values.length));
  // Those with fewer examples repeat their last one.
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(given.map(({ name, values }) => [name, values[Math.min(index, values.length - 1)]])),
  );
}

/** The smallest valid value, if the schema has no example. */
function exampleOf({ const: only, enum: values, minimum, exclusiveMinimum, type }: Schema): unknown {
  if (only !== undefined) return only;
  if (values !== undefined) return values[0];
  if (type === 'integer' || type === 'number') return minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0);
  return type === 'boolean' ? true : type === 'array' ? [] : type === 'object' ? {} : 'text';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
