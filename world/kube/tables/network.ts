import type { JsonObject } from '../../../protocols/kube/json.ts';
import type { ApiObject } from '../resource.ts';
import { column, columns, simple, wide } from './columns.ts';
import { at, countAt, formatLabels, formatSelector, listAt, shortList, textAt, textsAt } from './read.ts';

/** Most hosts and addresses in a cell. */
const MOST = 3;

export const servicePrinter = simple(
  columns('Type', 'Cluster-IP', 'External-IP', 'Port(s)'),
  (object) => [
    textAt(object, ['spec', 'type']),
    textAt(object, ['spec', 'clusterIP'], '<none>'),
    externalAddress(object),
    listAt(object, 'spec', 'ports').map(formatPort).join(',') || '<none>',
    formatLabels(at(object, 'spec', 'selector')),
  ],
  wide('Selector'),
);

/** As `getServiceExternalIP`. */
function externalAddress(service: ApiObject): string {
  const external = textsAt(service, 'spec', 'externalIPs');
  switch (textAt(service, ['spec', 'type'])) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer':
      return [...balancerAddresses(service), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, ['spec', 'externalName']);
    default:
      return '<unknown>';
  }
}

function balancerAddresses(object: ApiObject): string[] {
  const addresses = listAt(object, 'status', 'loadBalancer', 'ingress').map((one) => textAt(one, ['ip'], textAt(one, ['hostname'])));
  return [...new Set(addresses.filter((one) => one !== ''))].sort();
}

function formatPort(port: unknown): string {
  const nodePort = countAt(port, 'nodePort');
  return `${countAt(port, 'port')}${nodePort === 0 ? '' : `:${nodePort}`}/${textAt(port, ['protocol'], 'TCP')}`;
}

export const ingressPrinter = simple(columns('Class', 'Hosts', 'Address', 'Ports'), (object) => [
  textAt(object, ['spec', 'ingressClassName'], '<none>'),
  formatHosts(listAt(object, 'spec', 'rules')),
  balancerAddresses(object).join(','),
  listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80',
]);

/** As `formatHosts`: rules without a host count among those that are left out. */
function formatHosts(rules: readonly JsonObject[]): string {
  const hosts: string[] = [];
  for (const rule of rules) {
    const host = textAt(rule, ['host']);
    if (hosts.length === MOST) return `${hosts.join(',')} + ${rules.length - MOST} more...`;
    if (host !== '') hosts.push(host);
  }
  return hosts.join(',') || '*';
}

export const ingressClassPrinter = simple(columns('Controller', 'Parameters'), (object) => {
  const group = textAt(object, ['spec', 'parameters', 'apiGroup']);
  const kind = textAt(object, ['spec', 'parameters', 'kind']);
  const name = textAt(object, ['spec', 'parameters', 'name']);
  const hasParameters = at(object, 'spec', 'parameters') !== undefined;
  return [textAt(object, ['spec', 'controller']), hasParameters ? `${kind}${group === '' ? '' : `.${group}`}/${name}` : '<none>'];
});

export const endpointsPrinter = simple(columns('Endpoints'), (object) => {
  const subsets = listAt(object, 'subsets');
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((one) => textAt(one, ['ip']));
    const ports = listAt(subset, 'ports');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${countAt(port, 'port')}`));
  });
  return [subsets.length === 0 ? '<none>' : shortList(all, MOST)];
});

export const endpointSlicePrinter = simple(columns('AddressType', 'Ports', 'Endpoints'), (object) => [
  textAt(object, ['addressType']),
  shortList(
    listAt(object, 'ports').map((one) => (at(one, 'port') === undefined ? textAt(one, ['name'], '*') : String(countAt(one, 'port')))),
    MOST,
  ) || '<unset>',
  shortList(
    listAt(object, 'endpoints').flatMap((one) => textsAt(one, 'addresses')),
    MOST,
  ) || '<unset>',
]);

export const networkPolicyPrinter = simple([column('Pod-Selector')], (object) => [formatSelector(at(object, 'spec', 'podSelector'))]);

export const serviceCidrPrinter = simple([column('CIDRs')], (object) => [textsAt(object, 'spec', 'cidrs').join(',')]);

export const addressPrinter = simple([column('ParentRef')], (object) => {
  const parent = at(object, 'spec', 'parentRef');
  if (parent === undefined) return ['<none>'];
  const [group, resource, namespace, name] = ['group', 'resource', 'namespace', 'name'].map((field) => textAt(parent, [field]));
  const what = `${resource ?? ''}${group === '' ? '' : `.${group}`}`.toLowerCase();
  return [[what, ...(namespace === '' ? [] : [namespace]), name].join('/')];
});
