import { z } from 'zod';

/** One parameter of a fault, as a stranger has to know it. */
export interface Parameter {
  readonly name: string;
  /** What may be given: `whole number >= 0`, `one | tried | all`, `list of text`. */
  readonly takes: string;
  readonly required: boolean;
  /** What holds when it is not given; absent where that is nothing. */
  readonly default?: unknown;
  readonly description?: string;
}

/** One way to give the parameters: most faults have one, those with kinds have one a kind. */
export interface Form {
  readonly parameters: readonly Parameter[];
  /** Parameters that fit, one set for each of the examples in the schema: the required ones, and those that have an example. */
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

type Schema = z.core.JSONSchema.BaseSchema;

/** The parameters that a schema takes: of each kind of its union, or of the whole. */
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
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(description === undefined ? {} : { description }),
    };
  });
}

/** What may be given for a schema, in a few words. */
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

/** Limits that say something: every whole number in JSON has the range of a double. */
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

/** The least that fits, where the schema names no example. */
function exampleOf({ const: only, enum: values, minimum, exclusiveMinimum, type }: Schema): unknown {
  if (only !== undefined) return only;
  if (values !== undefined) return values[0];
  if (type === 'integer' || type === 'number') return minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 0);
  return type === 'boolean' ? true : type === 'array' ? [] : type === 'object' ? {} : 'text';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
