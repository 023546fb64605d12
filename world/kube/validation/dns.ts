import { invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsSubdomain } from '../../../protocols/kube/names.ts';
import { NO_ADDRESS, isAddress } from './addresses.ts';

/* How a pod finds names: `validatePodDNSConfig` and `ValidateHostAliases` of `pkg/apis/core/validation`. */

export interface DnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string }[];
}

export interface HostAlias {
  readonly ip?: string;
  readonly hostnames?: readonly string[];
}

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const MAX_DOMAIN_LENGTH = 253;
const DOMAIN = String.raw`_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*`;
const NO_DOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${DOMAIN}')`;

export function validateDns(config: DnsConfig | undefined, policy: string | undefined, field: string): FieldError[] {
  const none = 'when `dnsPolicy` is None';
  if (config === undefined) return policy === 'None' ? [required(field, `must provide \`dnsConfig\` ${none}`)] : [];
  const { nameservers = [], searches = [], options = [] } = config;
  const at = `${field}.searches`;
  return [
    ...(policy === 'None' && nameservers.length === 0
      ? [required(`${field}.nameservers`, `must provide at least one DNS nameserver ${none}`)]
      : []),
    ...(nameservers.length > MAX_NAMESERVERS
      ? [invalid(`${field}.nameservers`, nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`)]
      : []),
    ...nameservers.flatMap((server, index) => validateAddress(server, `${field}.nameservers[${index}]`)),
    ...(searches.length > MAX_SEARCHES ? [invalid(at, searches, `must not have more than ${MAX_SEARCHES} search paths`)] : []),
    ...(searches.join(' ').length > MAX_SEARCH_CHARACTERS
      ? [invalid(at, searches, `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search, index) => validateSearch(search, `${at}[${index}]`)),
    ...options.flatMap(({ name = '' }, index) => (name === '' ? [required(`${field}.options[${index}]`, 'must not be empty')] : [])),
  ];
}

function validateSearch(search: string, field: string): FieldError[] {
  if (search === '.') return [];
  const domain = search.replace(/\.$/, '');
  const isValid = new RegExp(`^${DOMAIN}$`).test(domain);
  return [
    ...(domain.length > MAX_DOMAIN_LENGTH ? [`must be no more than ${MAX_DOMAIN_LENGTH} characters`] : []),
    ...(isValid ? [] : [NO_DOMAIN]),
  ].map((problem) => invalid(field, domain, problem));
}

export function validateHostAliases(aliases: readonly HostAlias[], field: string): FieldError[] {
  return aliases.flatMap(({ ip = '', hostnames = [] }, index) => [
    ...validateAddress(ip, `${field}[${index}].ip`),
    ...hostnames.flatMap((name, at) =>
      checkDnsSubdomain(name).map((problem) => invalid(`${field}[${index}].hostnames[${at}]`, name, problem)),
    ),
  ]);
}

function validateAddress(address: string, field: string): FieldError[] {
  return isAddress(address) ? [] : [invalid(field, address, NO_ADDRESS)];
}
