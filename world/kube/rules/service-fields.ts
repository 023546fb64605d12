import { duplicate, forbidden, invalid, notSupported } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { NO_ADDRESS, isAddress } from '../validation/addresses.ts';

/** The fields of a Service that say how it is reached inside the cluster. */
export interface ServiceAddresses {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  sessionAffinity?: string;
  internalTrafficPolicy?: string;
}

const FAMILIES = ['IPv4', 'IPv6'];
const FAMILY_POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const NOT_EXTERNAL = 'may not be set for ExternalName services';

/** Which values are possible: parts of `ValidateService` of `pkg/apis/core/validation`. */
export function validateServiceFields(spec: ServiceAddresses): FieldError[] {
  const { type, clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy, sessionAffinity = '', internalTrafficPolicy } = spec;
  if (type === 'ExternalName') {
    const set = [
      ['clusterIPs', clusterIPs.length > 0 || clusterIP !== ''],
      ['ipFamilies', ipFamilies.length > 0],
      ['ipFamilyPolicy', ipFamilyPolicy !== undefined],
    ] as const;
    return set.filter(([, isSet]) => isSet).map(([field]) => forbidden(`spec.${field}`, NOT_EXTERNAL));
  }
  const field = 'spec.clusterIPs';
  const errors: FieldError[] = [];
  if (type !== 'ClusterIP' && clusterIPs[0] === 'None')
    errors.push(invalid(`${field}[0]`, 'None', `may not be set to 'None' for ${type ?? ''} services`));
  if (!AFFINITIES.includes(sessionAffinity)) errors.push(notSupported('spec.sessionAffinity', sessionAffinity, AFFINITIES));
  if (clusterIP !== '' && clusterIPs[0] !== clusterIP) errors.push(invalid(field, clusterIPs, 'first value must match `clusterIP`'));
  for (const [index, family] of ipFamilies.entries()) {
    const path = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(path, family, FAMILIES));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(path, family));
  }
  if (ipFamilyPolicy !== undefined && !FAMILY_POLICIES.includes(ipFamilyPolicy))
    errors.push(notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, FAMILY_POLICIES));
  if (clusterIPs.length > 1 && clusterIPs[0] === 'None') errors.push(invalid(field, clusterIPs, "'None' must be the first and only value"));
  for (const [index, address] of clusterIPs.entries()) {
    if (index === 0 && address === 'None') continue;
    if (!isAddress(address)) errors.push(invalid(`${field}[${index}]`, address, NO_ADDRESS));
  }
  if (internalTrafficPolicy !== undefined && !TRAFFIC_POLICIES.includes(internalTrafficPolicy))
    errors.push(notSupported('spec.internalTrafficPolicy', internalTrafficPolicy, TRAFFIC_POLICIES));
  return errors;
}

/** A cluster IP stays, unless the type changes from or to ExternalName (`validateUpgradeDowngradeClusterIPs`). */
export function validateKeptAddress(next: ServiceAddresses, before: ServiceAddresses): FieldError[] {
  if ([next, before].some(({ type }) => type === 'ExternalName')) return [];
  const [now, then] = [next.clusterIPs ?? [], before.clusterIPs ?? []];
  if (then[0] === undefined || now[0] === then[0]) return [];
  return [invalid('spec.clusterIPs[0]', now, 'may not change once set')];
}
