import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import type { ResourceTable } from './resource-table.ts';
import type { Resource } from './resource.ts';
import type { Store } from './store.ts';
import { listAt, at } from './tables/read.ts';

/** The schema of one version of a custom resource, from its definition; undefined for built-in resources. */
export type SchemaOf = (resource: Resource) => JsonObject | undefined;

/** Reads schemas from the definitions in a store. */
export function schemasIn(store: Store, table: ResourceTable): SchemaOf {
  const definitions = table.byId('customresourcedefinitions.apiextensions.k8s.io');
  return ({ custom, id, version }) => {
    if (!custom) return undefined;
    const definition = store.get(definitions, id);
    const found = listAt(definition?.object, 'spec', 'versions').find((one) => one['name'] === version);
    const schema = at(found, 'schema', 'openAPIV3Schema');
    return isJsonObject(schema) ? schema : undefined;
  };
}
