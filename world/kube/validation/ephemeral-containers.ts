import { duplicate, forbidden, notFound } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateContainer } from './containers.ts';
import type { FullContainer, PodFacts } from './containers.ts';

/** A container that is added to a running pod, for debugging. */
export interface EphemeralContainer extends FullContainer {
  targetContainerName?: string;
}

/** Fields that only other containers have, in the order of the Go type. */
const EXCLUDED = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const NOT_ALLOWED = 'cannot be set for an Ephemeral Container';

/** Validates as `validateEphemeralContainers` of `pkg/apis/core/validation` does. @param others the containers that are not ephemeral */
export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  others: readonly FullContainer[],
  pod: PodFacts,
  field: string,
): FieldError[] {
  const names = new Set(others.map(({ name }) => name));
  const targets = new Set(names);
  return containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const { name, targetContainerName: target = '', volumeMounts = [] } = container;
    const errors = validateContainer(container, pod, path);
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (target !== '' && !targets.has(target)) errors.push(notFound(`${path}.targetContainerName`, target));
    const excluded = EXCLUDED.filter((one) => Object.keys(container[one] ?? {}).length > 0);
    errors.push(...excluded.map((one) => forbidden(`${path}.${one}`, NOT_ALLOWED)));
    for (const [at, mount] of volumeMounts.entries()) {
      for (const part of ['subPath', 'subPathExpr'] as const) {
        if ((mount[part] ?? '') !== '') errors.push(forbidden(`${path}.volumeMounts[${at}].${part}`, NOT_ALLOWED));
      }
    }
    return errors;
  });
}
