/**
 * Syntax of names, label keys and label values, with the messages of `k8s.io/apimachinery/pkg/util/validation`. Each
 * function returns what is wrong, nothing if all is well.
 */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED_NAME})?`;

const LABEL_PATTERN = new RegExp(`^${LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const QUALIFIED_NAME_PATTERN = new RegExp(`^${QUALIFIED_NAME}$`);
const LABEL_VALUE_PATTERN = new RegExp(`^${LABEL_VALUE}$`);

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;

export function checkDnsLabel(text: string): string[] {
  return check(text, MAX_LABEL, LABEL_PATTERN, dnsLabelMessage);
}

export function checkDnsSubdomain(text: string): string[] {
  return check(text, MAX_SUBDOMAIN, SUBDOMAIN_PATTERN, dnsSubdomainMessage);
}

export function checkLabelValue(text: string): string[] {
  return check(text, MAX_LABEL, LABEL_VALUE_PATTERN, labelValueMessage);
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
  else if (name.length > MAX_LABEL) problems.push(`name part must be no more than ${MAX_LABEL} bytes`);
  if (!QUALIFIED_NAME_PATTERN.test(name)) problems.push(`name part ${qualifiedNameRule}`);
  return problems;
}

const dnsLabelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  `an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;

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
  const problems = text.length > maxLength ? [`must be no more than ${maxLength} bytes`] : [];
  return pattern.test(text) ? problems : [...problems, message];
}
