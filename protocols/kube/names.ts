/**
 * Syntax of names, label keys and label values, with the messages of `k8s.io/apimachinery/pkg/util/validation`. Each
 * function returns the errors, none for a valid name.
 */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';

const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const CONFIG_KEY_PATTERN = new RegExp(`^${CONFIG_KEY}$`);
const DNS_1035_PATTERN = new RegExp(`^${DNS_1035}$`);
const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const QUALIFIED_NAME_PATTERN = new RegExp(`^${QUALIFIED_NAME}$`);
const LABEL_VALUE_PATTERN = new RegExp(`^${LABEL_VALUE}$`);

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

export function checkDnsLabel(text: string): string[] {
  return check(text, MAX_LABEL, LABEL_PATTERN, SUBDOMAIN_PATTERN.test(text) ? 'must not contain dots' : dnsLabelMessage);
}

export function checkDnsSubdomain(text: string): string[] {
  return check(text, MAX_SUBDOMAIN, SUBDOMAIN_PATTERN, dnsSubdomainMessage);
}

/** The name of a Service: a DNS label of the older RFC. */
export function checkDns1035Label(text: string): string[] {
  return check(text, MAX_LABEL, DNS_1035_PATTERN, dns1035Message);
}

export function checkLabelValue(text: string): string[] {
  return check(text, MAX_LABEL, LABEL_VALUE_PATTERN, labelValueMessage);
}

/** A key of a ConfigMap's or Secret's data. */
export function checkConfigKey(text: string): string[] {
  const problems = check(text, MAX_SUBDOMAIN, CONFIG_KEY_PATTERN, configKeyMessage);
  if (text === '.' || text === '..') problems.push(`must not be '${text}'`);
  else if (text.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** A name that only has to be a valid path segment: of roles and their bindings. */
export function checkPathSegment(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((one) => text.includes(one)).map((one) => `may not contain '${one}'`);
}

/** A label or annotation key, a taint key, a topology key: `[prefix/]name`. */
export function checkQualifiedName(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    const rule = `a qualified name ${qualifiedNameRule}`;
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') problems.push('prefix part must be non-empty');
    else problems.push(...checkDnsSubdomain(prefix).map((problem) => `prefix part ${problem}`));
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > MAX_LABEL) problems.push(`name part must be no more than ${MAX_LABEL} characters`);
  if (!QUALIFIED_NAME_PATTERN.test(name)) problems.push(`name part ${qualifiedNameRule}`);
  return problems;
}

const dnsLabelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;

const configKeyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  `'key-name', regex used for validation is '${CONFIG_KEY}')`;

const dns1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  `end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035}')`;

const dnsSubdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  `end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;

const qualifiedNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  `end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;

function check(text: string, maxLength: number, pattern: RegExp, message: string): string[] {
  const problems = text.length > maxLength ? [`must be no more than ${maxLength} characters`] : [];
  return pattern.test(text) ? problems : [...problems, message];
}
