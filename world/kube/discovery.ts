import { isRouted, noRepresentation, prefersKind } from '../../protocols/kube/accept.ts';
import type { WireResponse } from '../../wire/wire.ts';
import type { ResourceTable } from './resource-table.ts';
import { apiVersionOf } from './resource.ts';
import type { Resource } from './resource.ts';

/** The release of Kubernetes that the embedded world follows. */
const VERSION = {
  major: '1',
  minor: '34',
  emulationMajor: '1',
  emulationMinor: '34',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '33',
  gitVersion: 'v1.34.4',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'go1.24.0',
  compiler: 'gc',
  platform: 'linux/amd64',
};
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];
const AGGREGATED = { group: 'apidiscovery.k8s.io', kind: 'APIGroupDiscoveryList', versions: ['v2', 'v2beta1'] };

/**
 * Answers requests about the server itself: version, health, groups and resources. Undefined for other paths.
 * @throws StatusError 406
 */
export function discover(method: string, path: string, accept: string | undefined, table: ResourceTable): WireResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const pathname = path.split('?', 1).join('').replace(/\/$/, '');
  if (HEALTH_PATHS.includes(pathname)) return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' };
  const resources = table.all();
  if (pathname === '/api' || pathname === '/apis') {
    const version = AGGREGATED.versions.find((one) => prefersKind(accept, AGGREGATED.group, AGGREGATED.kind, one));
    if (version !== undefined) return aggregated(pathname, version, resources);
  }
  const answer = documentAt(pathname, resources);
  const types = pathname === '/version' ? ['application/json'] : undefined;
  if (answer !== undefined && !isRouted(accept, types)) throw noRepresentation(types);
  return answer === undefined
    ? undefined
    : {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: pathname === '/version' ? JSON.stringify(answer, undefined, 2) : JSON.stringify(answer),
      };
}

function documentAt(pathname: string, resources: readonly Resource[]): object | undefined {
  if (pathname === '/version') return VERSION;
  if (pathname === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  const groups = groupsOf(resources).filter((group) => group !== '');
  if (pathname === '/apis') {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => describeGroup(group, resources)) };
  }
  const [root, ...parts] = pathname.split('/').slice(1);
  if (root === 'apis' && parts.length === 1 && groups.includes(parts[0] ?? '')) {
    return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(parts[0] ?? '', resources) };
  }
  const groupVersion = root === 'api' || root === 'apis' ? parts.join('/') : '';
  const served = resources.filter((resource) => apiVersionOf(resource) === groupVersion && (resource.group === '') === (root === 'api'));
  if (served.length === 0) return undefined;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: served.flatMap(describeResource) };
}

function groupsOf(resources: readonly Resource[]): string[] {
  return [...new Set(resources.map(({ group }) => group))];
}

/** The versions of a group, the preferred one first. */
function versionsOf(group: string, resources: readonly Resource[]): string[] {
  const own = resources.filter((one) => one.group === group);
  const versions = [...new Set(own.map(({ version }) => version))];
  return own.some(({ custom }) => custom) ? versions.sort(compareVersions) : versions;
}

const STAGES = ['alpha', 'beta', undefined];

/** The order of `apimachinery/pkg/version`: v10, v2, v1, v11beta2, v3beta1, v12alpha1, then all other names by the alphabet. */
function compareVersions(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name));
  if (first == null || second == null) return first == null && second == null ? (a < b ? -1 : 1) : first == null ? 1 : -1;
  const rank = ([, major, stage, minor = '0']: RegExpExecArray): number[] => [STAGES.indexOf(stage), Number(major), Number(minor)];
  const [left, right] = [rank(first), rank(second)];
  const index = left.findIndex((part, at) => part !== right[at]);
  return index === -1 ? 0 : (right[index] ?? 0) - (left[index] ?? 0);
}

function describeGroup(group: string, resources: readonly Resource[]): object {
  const versions = versionsOf(group, resources).map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** A subresource in discovery. */
interface SubresourceEntry {
  readonly name: string;
  /** The kind of its objects, if it is not its resource's. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

function subresourcesOf({ subresources, scale }: Resource): SubresourceEntry[] {
  const entries = subresources.map((name): SubresourceEntry => {
    if (name === 'binding') return { name, kind: { group: '', version: 'v1', kind: 'Binding' }, verbs: ['create'] };
    if (name === 'token') return { name, kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, verbs: ['create'] };
    if (name === 'eviction') return { name, kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] };
    return { name, verbs: name === 'finalize' ? ['update'] : ['get', 'patch', 'update'] };
  });
  const scaled = { name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch', 'update'] };
  return scale === undefined ? entries : [...entries, scaled];
}

function describeResource(resource: Resource): object[] {
  const { plural, singular, namespaced, kind } = resource;
  const main = { name: plural, singularName: singular, namespaced, kind, verbs: verbsOf(resource), ...namesOf(resource) };
  const parts = subresourcesOf(resource).map(({ name, kind: other, verbs }) => {
    const entry = { name: `${plural}/${name}`, singularName: '', namespaced };
    if (other === undefined) return { ...entry, kind, verbs };
    return { ...entry, ...(other.group === '' ? {} : { group: other.group, version: other.version }), kind: other.kind, verbs };
  });
  return [main, ...parts];
}

function verbsOf({ review, deletesCollection }: Resource): readonly string[] {
  if (review !== undefined) return ['create'];
  return deletesCollection ? VERBS : VERBS.filter((verb) => verb !== 'deletecollection');
}

function namesOf({ shortNames, categories }: Resource): object {
  return { ...(shortNames.length === 0 ? {} : { shortNames }), ...(categories.length === 0 ? {} : { categories }) };
}

/** All groups with their resources in one answer: clients since 1.27 request this first. */
function aggregated(pathname: string, version: string, resources: readonly Resource[]): WireResponse {
  const groups = groupsOf(resources).filter((group) => (group === '') === (pathname === '/api'));
  const items = groups.map((group) => ({
    metadata: group === '' ? {} : { name: group },
    versions: versionsOf(group, resources).map((one) => ({
      version: one,
      resources: resources.filter((resource) => resource.group === group && resource.version === one).map(describeAggregated),
      freshness: 'Current',
    })),
  }));
  const { group, kind } = AGGREGATED;
  return {
    status: 200,
    headers: { 'content-type': `application/json;g=${group};v=${version};as=${kind}` },
    body: JSON.stringify({ kind, apiVersion: `${group}/${version}`, metadata: {}, items }),
  };
}

function describeAggregated(resource: Resource): object {
  const { group, version, kind } = resource;
  const subresources = subresourcesOf(resource).map(({ name, kind: other, verbs }) => ({
    subresource: name,
    responseKind: other ?? { group, version, kind },
    verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: verbsOf(resource),
    ...namesOf(resource),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
