import { LoadError } from '../harness/load-error.ts';
import type { KubeObject } from '../model/kube.ts';
import type { Manifest } from './documents.ts';
import { DEFINITION, LIMIT_RANGE, NAMESPACE, QUOTA, STORAGE_CLASS, typeOf } from './kinds.ts';
import { unknownKind } from './unknown-kinds.ts';
import type { Validator } from './validation.ts';

/** Fields that only a cluster writes, as in the output of `kubectl get -o yaml`. */
const SERVER_FIELDS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];
const BUILT_IN_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const PRIORITY_CLASS = 'scheduling.k8s.io/PriorityClass';
const BUILT_IN: readonly string[] = [
  ...BUILT_IN_NAMESPACES.map((name) => `${NAMESPACE} ${name}`),
  ...['system-cluster-critical', 'system-node-critical'].map((name) => `${PRIORITY_CLASS} ${name}`),
];
/** Created first: others refer to them. */
const FIRST = [NAMESPACE, LIMIT_RANGE, QUOTA, PRIORITY_CLASS, 'node.k8s.io/RuntimeClass', STORAGE_CLASS];

/** The manifests of a directory, after validation by the API. */
export interface Admitted {
  /** Objects of kinds that the API serves: validated, with their namespaces filled in, and with namespaces that no manifest defines. */
  readonly taken: readonly Manifest[];
  /** CustomResourceDefinitions. */
  readonly definitions: readonly Manifest[];
  /** Objects of custom kinds that this API does not serve. */
  readonly foreign: readonly Manifest[];
}

/**
 * Validates all objects of kinds that the API serves.
 * @throws LoadError for objects that it rejects, and for unknown kinds in its own groups
 */
export async function admit(manifests: readonly Manifest[], validator: Validator): Promise<Admitted> {
  for (const manifest of manifests) {
    const problem = unknownKind(manifest, validator.served);
    if (problem !== undefined) throw new LoadError(`${manifest.where}: ${problem}`);
  }
  const isDefinition = (manifest: Manifest): boolean => typeOf(manifest) === DEFINITION;
  const served = manifests.filter((manifest) => validator.serves(manifest));
  const placed = served
    .filter((manifest) => !isDefinition(manifest))
    .map((manifest) => (validator.isNamespaced(manifest) ? inNamespace(manifest) : manifest));
  const all = [...missingNamespaces(placed), ...placed].sort((a, b) => rankOf(a) - rankOf(b));
  for (const manifest of all) {
    if (isBuiltIn(manifest)) continue;
    await validator.create(manifest);
    if (typeOf(manifest) === QUOTA) await validator.settle();
  }
  return { taken: all, definitions: served.filter(isDefinition), foreign: manifests.filter((manifest) => !served.includes(manifest)) };
}

/** Whether it is an object that every cluster has, so that users don't create it. */
export function isBuiltIn(manifest: Manifest): boolean {
  return BUILT_IN.includes(`${typeOf(manifest)} ${manifest.object.metadata.name ?? ''}`);
}

/** A manifest without its status and other fields that only a cluster writes. */
export function withoutServerFields(manifest: Manifest): Manifest {
  const { status: _status, ...object } = manifest.object as KubeObject & { status?: unknown };
  const kept = Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field));
  return { ...manifest, object: { ...object, metadata: Object.fromEntries(kept) } };
}

/** The manifest with its namespace, or with kubectl's default one. */
function inNamespace(manifest: Manifest): Manifest {
  const { metadata } = manifest.object;
  return { ...manifest, object: { ...manifest.object, metadata: { ...metadata, namespace: metadata.namespace ?? 'default' } } };
}

/** Namespaces of objects that no manifest defines. */
function missingNamespaces(manifests: readonly Manifest[]): Manifest[] {
  const existing = manifests.flatMap((manifest) => (typeOf(manifest) === NAMESPACE ? [manifest.object.metadata.name ?? ''] : []));
  const used = manifests.flatMap(({ object }) => object.metadata.namespace ?? []);
  return [...new Set(used)]
    .filter((name) => !existing.includes(name) && !BUILT_IN_NAMESPACES.includes(name))
    .sort()
    .map((name) => ({
      where: `namespace ${name}`,
      apiVersion: 'v1',
      kind: 'Namespace',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    }));
}

function rankOf(manifest: Manifest): number {
  const rank = FIRST.indexOf(typeOf(manifest));
  return rank < 0 ? FIRST.length : rank;
}
