import type { ApiCase, Step } from './case.ts';

/** Addresses of Services. */

const SERVICES = '/api/v1/namespaces/default/services';
const LOOK = ['sessionAffinity', 'sessionAffinityConfig', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy', 'type'].map(
  (field) => `spec.${field}`,
);

const service = (name: string, spec: object, look: readonly string[] = LOOK): Step => ({
  method: 'POST',
  path: SERVICES,
  body: { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } },
  look,
});
const change = (name: string, spec: object): Step => ({
  method: 'PATCH',
  path: `${SERVICES}/${name}`,
  contentType: 'application/merge-patch+json',
  body: { spec },
  look: LOOK,
});

const created = (id: string, spec: object): ApiCase => ({ id, steps: [service(id, spec)] });

export const SERVICE_CASES: readonly ApiCase[] = [
  created('service-address-malformed', { clusterIP: 'x' }),
  created('service-address-other-first', { clusterIP: '10.96.0.80', clusterIPs: ['10.96.0.81'] }),
  created('service-address-of-external', { type: 'ExternalName', externalName: 'x.example', clusterIP: '10.96.0.9' }),
  created('service-headless-node-port', { type: 'NodePort', clusterIP: 'None' }),
  created('service-affinity', { sessionAffinity: 'ClientIP' }),
  created('service-affinity-unknown', { sessionAffinity: 'Other', internalTrafficPolicy: 'Other' }),
  created('service-family-policy', { ipFamilyPolicy: 'PreferDualStack' }),
  created('service-family-twice', { ipFamilies: ['IPv4', 'IPv4'] }),
  created('service-family-unknown', { ipFamilies: ['IPv5'], ipFamilyPolicy: 'Other' }),
  {
    id: 'service-address-kept',
    steps: [
      service('service-address-kept', {}),
      change('service-address-kept', { clusterIP: '10.96.0.78', clusterIPs: ['10.96.0.78'] }),
      change('service-address-kept', { clusterIP: 'None', clusterIPs: ['None'] }),
      change('service-address-kept', { clusterIP: '', clusterIPs: [] }),
    ],
  },
  {
    id: 'service-address-taken',
    steps: [
      service('service-address-taken', { clusterIP: '10.96.0.79' }, ['spec.clusterIP', 'spec.clusterIPs']),
      service('service-address-taken-2', { clusterIP: '10.96.0.79' }),
    ],
  },
];
