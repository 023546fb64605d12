import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import { listAt, at } from './tables/read.ts';

/** The schema of a custom resource in its version, as its definition has it; undefined for built-in resources. */
export function customSchemaOf(registry: Registry, { custom, id, version }: Resource): JsonObject | undefined {
  if (!custom) return undefined;
  const definition = registry.find(registry.locate('customresourcedefinitions.apiextensions.k8s.io', id));
  const found = listAt(definition?.object, 'spec', 'versions').find((one) => one['name'] === version);
  const schema = at(found, 'schema', 'openAPIV3Schema');
  return isJsonObject(schema) ? schema : undefined;
}
