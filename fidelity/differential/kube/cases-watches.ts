import type { ApiCase, Step } from './case.ts';

/** Watches in their old form. Only answers of at most one event can be compared. */

const DEFAULT = 'namespaces/default';
/** Ends a watch. */
const BRIEF = 'timeoutSeconds=1';
const LOOK = ['type', 'object.kind', 'object.metadata.name'];

function watching(id: string, path: string, method: Step['method'] = 'GET'): ApiCase {
  return { id: `old-watch-${id}`, steps: [{ method, path, look: LOOK }] };
}

export const WATCH_CASES: readonly ApiCase[] = [
  watching('one', `/api/v1/watch/${DEFAULT}?${BRIEF}`),
  watching('none', `/api/v1/watch/${DEFAULT}/configmaps/none?${BRIEF}`),
  watching('ignored-parameter', `/api/v1/watch/${DEFAULT}?${BRIEF}&watch=false`),
  watching('same-selector', `/api/v1/watch/${DEFAULT}?${BRIEF}&fieldSelector=metadata.name%3Ddefault`),
  watching('other-selector', `/api/v1/watch/${DEFAULT}?${BRIEF}&fieldSelector=metadata.name%3Dother`),
  watching('selector-without-name', `/apis/apps/v1/watch/${DEFAULT}/deployments/x?${BRIEF}&fieldSelector=metadata.namespace%3Dx`),
  watching('bad-revision', `/api/v1/watch/nodes?resourceVersion=x`),
  watching('unknown-resource', '/api/v1/watch/nope'),
  watching('cluster-scoped-in-namespace', `/api/v1/watch/${DEFAULT}/nodes`),
  watching('without-namespace', '/api/v1/watch/pods/x'),
  watching('subresource', `/api/v1/watch/${DEFAULT}/pods/x/status`),
  watching('review', '/apis/authorization.k8s.io/v1/watch/selfsubjectaccessreviews'),
  watching('unknown-group', '/apis/nope/v1/watch/x'),
  watching('post', `/api/v1/watch/${DEFAULT}/configmaps`, 'POST'),
  watching('delete', `/api/v1/watch/${DEFAULT}/configmaps/x`, 'DELETE'),
];
