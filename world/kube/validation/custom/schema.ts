/**
 * A structural schema, as in `openAPIV3Schema` of a CustomResourceDefinition: the keywords that have a meaning in
 * Kubernetes (`apiextensions.k8s.io/v1` JSONSchemaProps).
 */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly unknown[];
}

/** The schema of an object's field; undefined for an unknown field. */
export function propertyOf({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key];
  if (additionalProperties === undefined || additionalProperties === false) return undefined;
  return additionalProperties === true ? ANYTHING : additionalProperties;
}

/** `additionalProperties: true`: nothing below it is known or pruned. */
const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Whether a schema has CEL rules anywhere. */
export function hasRules(schema: Schema): boolean {
  if ((schema['x-kubernetes-validations']?.length ?? 0) > 0) return true;
  const { properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [] } = schema;
  const below = [...Object.values(properties), additionalProperties, items, ...allOf, ...anyOf, ...oneOf];
  return below.some((one) => typeof one === 'object' && hasRules(one));
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
