import { isDeepStrictEqual } from 'node:util';
import type { LabelSelector, ObjectMeta } from '../../../model/kube.ts';
import { matchesSelector } from '../../../model/selector.ts';
import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabels } from '../validation/meta.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import { workloadShape } from '../validation/shapes.ts';
import { validateLabelSelector } from '../validation/topology-spread.ts';
import { defaultPodSpec } from './pods.ts';
import type { FullPodSpec } from './pods.ts';

/** What ReplicaSets, Deployments and DaemonSets have in common. */
interface WorkloadSpec {
  replicas?: number;
  selector?: LabelSelector;
  template?: { metadata?: ObjectMeta; spec?: FullPodSpec };
}

/**
 * Rules of a kind that makes pods from a template.
 * @param options.replicas whether it has a number of replicas, which defaults to 1
 * @param options.status the status of a new one
 */
export function workloadRules(options: { readonly replicas: boolean; readonly status: object }): ResourceRules {
  return {
    shape: workloadShape,
    defaults: (object) => {
      const spec = specOf(object);
      const owner = `${object.kind} in version "v1" cannot be handled as a ${object.kind}`;
      const podSpec = defaultPodSpec(spec.template?.spec ?? { containers: [] }, { owner, requestsFromLimits: false });
      const template = { ...spec.template, spec: podSpec };
      return { ...object, spec: { ...spec, ...(options.replicas ? { replicas: spec.replicas ?? 1 } : {}), template } };
    },
    initialStatus: () => options.status,
    validate,
    validateUpdate: (object, old) => {
      const [next, before] = [specOf(object).selector, specOf(old).selector];
      return isDeepStrictEqual(next, before) ? [] : [invalid('spec.selector', next, 'field is immutable')];
    },
  };
}

function specOf(object: ApiObject): WorkloadSpec {
  return object.spec ?? {};
}

function validate(object: ApiObject): FieldError[] {
  const { replicas, selector, template } = specOf(object);
  const errors: FieldError[] = [];
  if (replicas !== undefined && replicas < 0) {
    errors.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
  }
  if (selector === undefined) errors.push(required('spec.selector'));
  else {
    errors.push(...validateLabelSelector(selector, 'spec.selector'));
    const empty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
    if (empty) errors.push(invalid('spec.selector', selector, 'empty selector is invalid for deployment'));
    const labels = template?.metadata?.labels ?? {};
    if (!empty && !matchesSelector(selector, labels)) {
      errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
    }
  }
  const spec = template?.spec ?? { containers: [] };
  errors.push(...validateLabels(template?.metadata?.labels, 'spec.template.labels'));
  errors.push(...validatePodSpec(spec, 'spec.template.spec'));
  if (spec.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', spec.restartPolicy, ['Always']));
  }
  return errors;
}
