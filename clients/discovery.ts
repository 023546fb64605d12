import type { ResourceType } from './kube-client.ts';

/**
 * What clients since 1.27 request: all groups with their resources in one answer. v2 is served since 1.30.
 * Source: client-go, `discovery/discovery_client.go`.
 */
export const AGGREGATED_TYPES = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
/** The discovery paths: the core group, and all others. */
export const DISCOVERY_PATHS = ['/api', '/apis'] as const;

/** The parts of an APIGroupDiscoveryList that are read here. Source: `k8s.io/api/apidiscovery/v2/types.go`. */
interface GroupList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    /** The preferred one first. */
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind?: string };
        readonly scope?: 'Namespaced' | 'Cluster';
        readonly verbs?: readonly string[];
      }[];
    }[];
  }[];
}

/**
 * The resources in a discovery answer whose objects can be listed and deleted, each in its group's preferred version. Empty for any
 * other answer, as servers before 1.27 give.
 */
export function readDiscovery(text: string): ResourceType[] {
  const { kind, items = [] } = JSON.parse(text) as GroupList;
  if (kind !== 'APIGroupDiscoveryList') return [];
  const found = new Map<string, ResourceType>();
  for (const { metadata, versions = [] } of items) {
    const group = metadata?.name ?? '';
    for (const { version, resources = [] } of versions) {
      for (const { resource: plural, responseKind, scope, verbs = [] } of resources) {
        const key = `${group}/${plural}`;
        if (found.has(key) || !verbs.includes('list') || !verbs.includes('delete')) continue;
        found.set(key, { group, version, plural, kind: responseKind?.kind ?? '', namespaced: scope === 'Namespaced' });
      }
    }
  }
  return [...found.values()];
}
