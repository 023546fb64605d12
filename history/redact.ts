import { createHash } from 'node:crypto';

/** Replaces a secret. */
const REDACTED = '[redacted]';

/** Keys whose values are secrets, in Kubernetes bodies, AWS parameters and log fields. `ClientToken` is not one. */
const SECRET_KEY =
  /secret|passw(or)?d|credential|authorization|signature|(api|access|private)[-_]?key|(security|session|bearer|refresh|bootstrap)[-_]?token/i;

/**
 * Secrets that can be recognised by their form, in any text. The texts come from the program under test, so each pattern must
 * take linear time: a match that can fail late never restarts within what it has read.
 */
const SECRET_TEXT: readonly RegExp[] = [
  /\bBearer\s+[\w.~+/-]{8,}=*/gi,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bk8s-aws-v1\.[\w-]{8,}/g,
  // The format in which programs print their environment.
  /\b[A-Z0-9_]{0,40}(?:SECRET|PASSWORD|PASSWD|ACCESS_KEY)[A-Z0-9_]{0,40}=[^\s"',;]+/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/**
 * A JSON Web Token: service account tokens and `aws eks get-token`. A text without the later parts (the group) is not one, but
 * is matched as well: searching it again for further starts would take quadratic time.
 */
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g;

/** kubeadm's bootstrap tokens: recognised by their form only where one may be expected. */
const BOOTSTRAP_TOKEN = /\b[a-z0-9]{6}\.[a-z0-9]{16}\b/;

/** A line of JSON without any of these needs no closer look: most lines don't, and a look costs more than the line. */
const SUSPICIOUS = new RegExp(`${SECRET_KEY.source}|bearer|AKIA|ASIA|eyJ|k8s-aws-v1|PRIVATE KEY|userdata`, 'i');

/** Whether serialised JSON might contain a secret: cheap, and in doubt true. */
export function mayHoldSecrets(text: string): boolean {
  return SUSPICIOUS.test(text);
}

/**
 * A copy of plain JSON without its secrets: values of keys that look secret, `value` beside a `name` that does, data of
 * Kubernetes Secrets, and texts that are tokens or keys by their form. User data of instances is kept, since findings need
 * it, unless it contains one of these: then its size and digest are kept.
 */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const { kind, name } = value as { kind?: unknown; name?: unknown };
  const isNamedSecret = typeof name === 'string' && SECRET_KEY.test(name);
  return Object.fromEntries(
    entries.map(([key, child]) => {
      if (kind === 'Secret' && (key === 'data' || key === 'stringData')) return [key, redactAll(child)];
      if (isScalar(child) && (SECRET_KEY.test(key) || (key === 'value' && isNamedSecret))) return [key, REDACTED];
      if (key.toLowerCase().endsWith('userdata') && typeof child === 'string') return [key, redactUserData(child)];
      return [key, redact(child)];
    }),
  );
}

/** A text without the secrets that can be recognised by their form. */
function redactText(text: string): string {
  return SECRET_TEXT.reduce((rest, pattern) => rest.replace(pattern, REDACTED), text).replace(
    JSON_WEB_TOKEN,
    (match: string, laterParts?: string) => (laterParts === undefined ? match : REDACTED),
  );
}

/** Keeps the keys, but none of the values. */
export function redactAll(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return REDACTED;
  return Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED]));
}

function redactUserData(userData: string): string {
  const decoded = Buffer.from(userData, 'base64').toString('utf8');
  const isClean = [userData, decoded].every((text) => redactText(text) === text && !BOOTSTRAP_TOKEN.test(text));
  if (isClean) return userData;
  return `[redacted: user data that contains a secret, ${describeBytes(userData)}]`;
}

/** Size and SHA-256 of a text, to replace something that can't be kept. */
export function describeBytes(text: string): string {
  return `${Buffer.byteLength(text)} bytes, sha256 ${createHash('sha256').update(text).digest('hex')}`;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
