import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';

/** What Auto Scaling answers to most mistakes. */
export function validationError(message: string): QueryRefusal {
  return new QueryRefusal('ValidationError', message);
}

/** A mistake that the framework in front of the service finds, in its words. @param member in lower camel case */
export function constraintError(member: string, value: string | number | undefined, constraint: string): QueryRefusal {
  const shown = value === undefined ? 'null' : `'${String(value)}'`;
  return validationError(`1 validation error detected: Value ${shown} at '${member}' failed to satisfy constraint: ${constraint}`);
}

/** A required parameter is missing. */
export function missing(member: string): QueryRefusal {
  return constraintError(member, undefined, 'Member must not be null');
}

/** No group has this name. Source: cloud-custodian/cloud-custodian#250; after the dash, moto 5.2.1 has the same. */
export function groupNotFound(name: string): QueryRefusal {
  return validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
}

/** No group that is to be tagged has this name. Source: cloud-custodian/cloud-custodian#380. */
export function taggedGroupNotFound(name: string): QueryRefusal {
  return validationError(`AutoScalingGroup not found - AutoScaling Group ${name} not found`);
}

/** No group has this instance. */
export function instanceNotFound(id: string): QueryRefusal {
  return validationError(`Instance Id not found - No managed instance found for instance ID: ${id}`);
}
