import { writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { RESOURCES } from '../../clients/resources.ts';
import type { ResourceType } from '../../clients/kube-client.ts';
import { CRDS } from '../../controller/crds.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { KubeObject } from '../../model/kube.ts';
import { ANY_POOL, nodeClass, toNodePool } from '../../targets/reference.ts';

/** What is needed to start the bundled autoscaler, besides the environment: docs/controller.md. */
export interface ReferenceStart {
  /** A file with CustomResourceDefinitions, to apply first. */
  readonly crds: string;
  /** A file with an EC2NodeClass, and a NodePool for any type in any zone, spot or on demand. */
  readonly pools: string;
  /** Program and arguments. */
  readonly command: readonly string[];
}

/** Writes the manifests that the bundled autoscaler needs in this cluster. @throws when they can't be written */
export function writeReferenceStart(folder: string, cluster: ClusterConfig): ReferenceStart {
  const crds = join(folder, 'reference-crds.yaml');
  const pools = join(folder, 'reference-pools.yaml');
  writeFileSync(crds, format(CRDS));
  writeFileSync(pools, format([typed(RESOURCES.ec2nodeclasses, nodeClass(cluster)), typed(RESOURCES.nodepools, toNodePool(ANY_POOL))]));
  // The same relative path in the sources and in the package.
  const main = fileURLToPath(new URL(`../../controller/main${extname(import.meta.url)}`, import.meta.url));
  return { crds, pools, command: [process.execPath, main] };
}

function typed({ group, version, kind }: ResourceType, object: KubeObject): KubeObject {
  return { apiVersion: `${group}/${version}`, kind, ...object };
}

function format(objects: readonly KubeObject[]): string {
  return objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n');
}
