import { LoadError } from '../harness/load-error.ts';
import type { KubeObject } from '../model/kube.ts';
import type { Manifest } from './documents.ts';
import { DEFINITION, NAMESPACE, typeOf } from './kinds.ts';
import { unknownKind } from './unknown-kinds.ts';
import type { Validator } from './validation.ts';

/** What a cluster writes into objects, as `kubectl get -o yaml` shows it. */
const SERVER_FIELDS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];
const BUILT_IN_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const PRIORITY_CLASS = 'scheduling.k8s.io/PriorityClass';
const BUILT_IN: readonly string[] = [
  ...BUILT_IN_NAMESPACES.map((name) => `${NAMESPACE} ${name}`),
  ...['system-cluster-critical', 'system-node-critical'].map((name) => `${PRIORITY_CLASS} ${name}`),
];
/** Created first: others refer to them. */
const FIRST = [NAMESPACE, PRIORITY_CLASS, 'node.k8s.io/RuntimeClass'];

/** A directory's manifests, as an API takes them. */
export interface Admitted {
  /** Of kinds that the API serves: checked by it, with their namespaces filled in, and the namespaces that nobody makes. */
  readonly taken: readonly Manifest[];
  /** Definitions of kinds. */
  readonly definitions: readonly Manifest[];
  /** Of kinds that are somebody's own. */
  readonly foreign: readonly Manifest[];
}

/**
 * Has the API check everything of a kind that it serves.
 * @throws LoadError for what it refuses, and for kinds that it would not know
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
    if (!isBuiltIn(manifest)) await validator.create(manifest);
  }
  return { taken: all, definitions: served.filter(isDefinition), foreign: manifests.filter((manifest) => !served.includes(manifest)) };
}

/** Whether it is one of the objects that every cluster has: not for users to create. */
export function isBuiltIn(manifest: Manifest): boolean {
  return BUILT_IN.includes(`${typeOf(manifest)} ${manifest.object.metadata.name ?? ''}`);
}

/** A manifest without its status and what else only a cluster writes. */
export function withoutServerFields(manifest: Manifest): Manifest {
  const { status: _status, ...object } = manifest.object as KubeObject & { status?: unknown };
  const kept = Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field));
  return { ...manifest, object: { ...object, metadata: Object.fromEntries(kept) } };
}

/** In the namespace that it names, or in that which kubectl would put it in. */
function inNamespace(manifest: Manifest): Manifest {
  const { metadata } = manifest.object;
  return { ...manifest, object: { ...manifest.object, metadata: { ...metadata, namespace: metadata.namespace ?? 'default' } } };
}

/** Namespaces that objects lie in and that no manifest makes. */
function missingNamespaces(manifests: readonly Manifest[]): Manifest[] {
  const made = manifests.flatMap((manifest) => (typeOf(manifest) === NAMESPACE ? [manifest.object.metadata.name ?? ''] : []));
  const used = manifests.flatMap(({ object }) => object.metadata.namespace ?? []);
  return [...new Set(used)]
    .filter((name) => !made.includes(name) && !BUILT_IN_NAMESPACES.includes(name))
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
