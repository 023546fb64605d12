import { invalid, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDns1035Label, checkDnsSubdomain } from '../../../protocols/kube/names.ts';
import type { ClientConfig, ServiceReference } from '../webhooks/configuration.ts';

/* Where webhooks are (`apiserver/pkg/util/webhook/validation.go`). */

const DEFAULT_PORT = 443;
const MAX_PORT = 65_535;
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/;
const FORM = '; desired format: https://host[/path]';

/** `SetDefaults_ServiceReference` */
export function clientDefaults<T extends ClientConfig>(config: T): T {
  const { service } = config;
  return service === undefined ? config : { ...config, service: { ...service, port: service.port ?? DEFAULT_PORT } };
}

export function validateClientConfig({ url, service }: ClientConfig, at: string): FieldError[] {
  if ((url === undefined) === (service === undefined)) return [required(at, 'exactly one of url or service is required')];
  return url === undefined ? validateService(service ?? {}, `${at}.service`) : validateUrl(url, `${at}.url`);
}

/** A port may have any number until it is used. */
const PORT = /:\d+(?=[/?#]|$)/;

/** Why a URL can't be parsed is said in other words than Go's. */
function validateUrl(url: string, field: string): FieldError[] {
  const isHttps = /^https:\/\/[^/]/i.test(url);
  if (isHttps && !URL.canParse(url.replace(PORT, ''))) {
    return [required(field, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid host${FORM}`)];
  }
  const [, scheme = '', authority = '', query = '', fragment = ''] = URL_PARTS.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  return [
    ...(scheme.toLowerCase() === 'https' ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${FORM}`)]),
    ...(host === '' ? [invalid(field, host, `host must be specified${FORM}`)] : []),
    ...(at < 0 ? [] : [invalid(field, authority.slice(0, at), 'user information is not permitted in the URL')]),
    ...(fragment === '' ? [] : [invalid(field, fragment, 'fragments are not permitted in the URL')]),
    ...(query === '' ? [] : [invalid(field, query, 'query parameters are not permitted in the URL')]),
  ];
}

/** As in the real server, a missing name is reported for the namespace, and the other way round. */
function validateService({ name = '', namespace = '', port = DEFAULT_PORT, path = '' }: ServiceReference, at: string): FieldError[] {
  return [
    ...(namespace === '' ? [required(`${at}.name`)] : []),
    ...(name === '' ? [required(`${at}.namespace`)] : []),
    ...(port >= 1 && port <= MAX_PORT
      ? []
      : [invalid(`${at}.port`, port, `port is not valid: must be between 1 and ${MAX_PORT}, inclusive`)]),
    ...validatePath(path, `${at}.path`),
  ];
}

function validatePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return [];
  const empty = (index: number): FieldError => invalid(field, path, `segment[${index}] may not be empty`);
  if (path === '//') return [empty(0)];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  return [
    ...(path.startsWith('/') ? [] : [invalid(field, path, "must start with a '/'")]),
    ...steps.flatMap((step, index) => {
      return step === '' ? [empty(index)] : checkDnsSubdomain(step).map((problem) => invalid(field, path, `segment[${index}]: ${problem}`));
    }),
  ];
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The versions of reviews that a webhook accepts. @param absent what is said if there are none */
export function validateReviewVersions(versions: readonly string[], field: string, absent: string): FieldError[] {
  const known = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) return [required(field, absent)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(`${field}[${index}]`, version, 'duplicate version')];
    return checkDns1035Label(version).map((problem) => invalid(`${field}[${index}]`, version, problem));
  });
  const hasKnown = versions.some((version) => REVIEW_VERSIONS.includes(version));
  return hasKnown ? errors : [...errors, invalid(field, versions, `must include at least one of ${known}`)];
}
