import { forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateNonNegative } from './numbers.ts';
import { validatePort, validatePortNumber } from './paths.ts';

/* Probes and lifecycle hooks of containers: `validateProbe` and `validateHandler` of `pkg/apis/core/validation`. */

/** What a probe or a hook does: one of these. */
export interface Handler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: {
    readonly port?: number | string;
    readonly scheme?: string;
    readonly httpHeaders?: readonly { readonly name?: string }[];
  };
  readonly tcpSocket?: { readonly port?: number | string };
  readonly grpc?: { readonly port?: number };
  readonly sleep?: { readonly seconds?: number };
}

interface Probe extends Handler {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** The handlers of a container. */
export interface Handlers {
  readonly lifecycle?: Readonly<Record<string, Handler>>;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const SCHEMES = ['HTTP', 'HTTPS'];
const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

/** @param graceSeconds the pod's, which a hook must not exceed */
export function validateHandlers(
  { lifecycle = {}, livenessProbe, readinessProbe, startupProbe }: Handlers,
  graceSeconds: number,
  field: string,
): FieldError[] {
  return [
    ...(['postStart', 'preStop'] as const).flatMap((hook) => {
      const handler = lifecycle[hook];
      return handler === undefined ? [] : validateHandler(handler, graceSeconds, `${field}.lifecycle.${hook}`);
    }),
    ...validateOnce(livenessProbe, graceSeconds, `${field}.livenessProbe`),
    ...validateReadiness(readinessProbe, graceSeconds, `${field}.readinessProbe`),
    ...validateOnce(startupProbe, graceSeconds, `${field}.startupProbe`),
  ];
}

/** A probe after whose first success the container counts as alive, or started. */
function validateOnce(probe: Probe | undefined, graceSeconds: number, field: string): FieldError[] {
  if (probe === undefined) return [];
  const { successThreshold = 1 } = probe;
  const isOften = successThreshold !== 1;
  return [
    ...validateProbe(probe, graceSeconds, field),
    ...(isOften ? [invalid(`${field}.successThreshold`, successThreshold, 'must be 1')] : []),
  ];
}

function validateReadiness(probe: Probe | undefined, graceSeconds: number, field: string): FieldError[] {
  if (probe === undefined) return [];
  const { terminationGracePeriodSeconds: period } = probe;
  const path = `${field}.terminationGracePeriodSeconds`;
  const errors = validateProbe(probe, graceSeconds, field);
  return period === undefined ? errors : [...errors, invalid(path, period, 'must not be set for readinessProbes')];
}

function validateProbe(probe: Probe, graceSeconds: number, field: string): FieldError[] {
  const { terminationGracePeriodSeconds: period = 1 } = probe;
  return [
    ...validateHandler(probe, graceSeconds, field),
    ...COUNTS.flatMap((count) => validateNonNegative(probe[count], `${field}.${count}`)),
    ...(period > 0 ? [] : [invalid(`${field}.terminationGracePeriodSeconds`, period, 'must be greater than 0')]),
  ];
}

const KINDS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(handler: Handler, graceSeconds: number, field: string): FieldError[] {
  const [first, ...others] = KINDS.filter((kind) => handler[kind] !== undefined);
  if (first === undefined) return [required(field, 'must specify a handler type')];
  const extra = others.map((kind) => forbidden(`${field}.${kind}`, 'may not specify more than 1 handler type'));
  return [...validateAction(handler, first, graceSeconds, `${field}.${first}`), ...extra];
}

function validateAction(handler: Handler, kind: (typeof KINDS)[number], graceSeconds: number, field: string): FieldError[] {
  switch (kind) {
    case 'exec':
      return (handler.exec?.command ?? []).length === 0 ? [required(`${field}.command`)] : [];
    case 'httpGet': {
      const { port = 0, scheme = 'HTTP', httpHeaders = [] } = handler.httpGet ?? {};
      const headers = httpHeaders.map(({ name = '' }) => name).filter((name) => !/^[-A-Za-z0-9]+$/.test(name));
      return [
        ...validatePort(port, `${field}.port`),
        ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${field}.scheme`, scheme, SCHEMES)]),
        ...headers.map((name) => invalid(`${field}.httpHeaders`, name, HEADER)),
      ];
    }
    case 'tcpSocket':
      return validatePort(handler.tcpSocket?.port ?? 0, `${field}.port`);
    case 'grpc':
      return validatePortNumber(handler.grpc?.port ?? 0, `${field}.port`);
    case 'sleep': {
      const { seconds = 0 } = handler.sleep ?? {};
      if (seconds >= 0 && seconds <= graceSeconds) return [];
      return [invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)];
    }
  }
}
