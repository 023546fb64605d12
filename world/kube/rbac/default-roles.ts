import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../model/package-root.ts';
import type { Registry } from '../registry.ts';
import type { ApiObject } from '../resource.ts';
import type { ResourceTable } from '../resource-table.ts';
import { aggregatedRules } from './aggregation.ts';
import type { Role } from './rules.ts';

/** Written by `fidelity/default-roles/generate.ts`. */
const FILE = 'fixtures/data/kubernetes/default-roles.json';
const WRITER = { principal: 'workloads', dryRun: false } as const;
const GROUP = 'rbac.authorization.k8s.io';

/** Creates the roles and bindings that every cluster with RBAC has: discovery, reviews of one's own access, admin, edit and view. */
export function createDefaultRoles(registry: Registry, table: ResourceTable): void {
  const objects = JSON.parse(readFileSync(join(packageRoot(), FILE), 'utf8')) as (ApiObject & Role)[];
  for (const object of aggregated(objects)) {
    const resource = table.byId(`${object.kind.toLowerCase()}s.${GROUP}`);
    registry.create(resource, object.metadata.namespace, object, WRITER);
  }
}

/** With the rules that the controller would give them soon. `edit` is part of `admin`, and `view` of `edit`. */
function aggregated(objects: readonly (ApiObject & Role)[]): readonly (ApiObject & Role)[] {
  const next = objects.map((object) => {
    const rules = aggregatedRules(
      object,
      objects.filter(({ kind }) => kind === 'ClusterRole'),
    );
    return rules === undefined || rules.length === (object.rules ?? []).length ? object : { ...object, rules };
  });
  return next.some((object, index) => object !== objects[index]) ? aggregated(next) : objects;
}
