import type { WireResponse } from '../../wire/wire.ts';
import type { ResourceTable } from './resource-table.ts';
import { apiVersionOf } from './resource.ts';
import type { Resource } from './resource.ts';

/** The release of Kubernetes that the embedded world follows. */
const VERSION = { major: '1', minor: '34', gitVersion: 'v1.34.4', platform: 'linux/amd64' };
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];

/** Answers what is asked of the server itself: version, health, groups and resources. Undefined for other paths. */
export function discover(method: string, path: string, table: ResourceTable): WireResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const pathname = path.split('?', 1).join('').replace(/\/$/, '');
  if (HEALTH_PATHS.includes(pathname)) return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'ok' };
  const answer = documentAt(pathname, table.all());
  return answer === undefined ? undefined : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) };
}

function documentAt(pathname: string, resources: readonly Resource[]): object | undefined {
  if (pathname === '/version') return VERSION;
  if (pathname === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  const groups = [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '');
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

function describeGroup(group: string, resources: readonly Resource[]): object {
  const versions = [...new Set(resources.filter((one) => one.group === group).map(({ version }) => version))].map((version) => {
    return { groupVersion: `${group}/${version}`, version };
  });
  return { name: group, versions, preferredVersion: versions[0] };
}

function describeResource(resource: Resource): object[] {
  const { plural, singular, namespaced, kind, shortNames } = resource;
  const main = { name: plural, singularName: singular, namespaced, kind, verbs: VERBS, ...(shortNames.length === 0 ? {} : { shortNames }) };
  const parts = resource.subresources.map((subresource) => {
    const name = `${plural}/${subresource}`;
    if (subresource === 'binding') return { name, singularName: '', namespaced, kind: 'Binding', verbs: ['create'] };
    if (subresource === 'eviction') {
      return { name, singularName: '', namespaced, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] };
    }
    return { name, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
  });
  return [main, ...parts];
}
