import { Ec2Error } from '../../clients/ec2-client.ts';
import { KubeError } from '../../clients/kube-client.ts';

/** An error in one line, with the API's own code. */
export function describeError(error: unknown): string {
  if (error instanceof KubeError) return `${error.reason} (${error.status}): ${error.message}`;
  if (error instanceof Ec2Error) return `${error.code} (${error.status}): ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

/** A conflict: another client changed the object, or it is a different one of the same name now. */
export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409;
}

/** Whether a failed Kubernetes request may still have taken effect. */
export function isUnknownOutcome(error: unknown): boolean {
  return !(error instanceof KubeError) || error.status === 0 || error.status >= 500;
}

/** Whether the API server refused a request because no role allows it: it refuses others like it as well. A quota's refusal is one, too. */
export function isForbidden(error: unknown): boolean {
  return error instanceof KubeError && error.status === FORBIDDEN;
}

const FORBIDDEN = 403;
