const NO_ENDPOINTS = 'Services get no Endpoints and no EndpointSlices';
const KINDS_MISSING =
  'these kinds are missing: Binding (as a collection), ComponentStatus, APIService, FlowSchema, PriorityLevelConfiguration, and the version autoscaling/v1';

/** Commands that print something else here, and why. May only shrink: remove those that agree. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'create: describe service web': NO_ENDPOINTS,
  'deployment: get deployment web -o yaml': 'counts of a status that are zero are kept, where the real server drops them',
  'deployment: get endpoints web': NO_ENDPOINTS,
  'kinds: run single --image=nginx:1 --dry-run=server -o yaml': 'pods get no volume with a token of their service account',
  'discovery: api-versions': KINDS_MISSING,
  'discovery: api-resources --api-group=': KINDS_MISSING,
  'discovery: api-resources --namespaced=false --sort-by=name -o name': KINDS_MISSING,
  'discovery: api-resources --verbs=create,watch -o name': KINDS_MISSING,
};
