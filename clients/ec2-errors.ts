import { toServiceError } from './aws-errors.ts';
import { Ec2Error } from './ec2-client.ts';

export { failureOf } from './aws-errors.ts';

/** The error as callers see it. Errors that do not come from AWS or the wire (a bug) stay as they are. */
export function toEc2Error(error: unknown): unknown {
  return toServiceError(error, (code, status, message) => new Ec2Error(code, status, message));
}
