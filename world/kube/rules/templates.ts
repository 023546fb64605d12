import type { LabelSelector, ObjectMeta } from '../../../model/kube.ts';
import { matchesSelector } from '../../../model/selector.ts';
import { forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { validateLabelSelector } from '../validation/label-selector.ts';
import { validateAnnotations, validateLabels } from '../validation/meta.ts';
import { validatePodSpec } from '../validation/pod-spec.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';
import { defaultPodSpec } from './pod-defaults.ts';

/** The pod template of a workload. */
export interface Template {
  metadata?: ObjectMeta;
  spec?: FullPodSpec;
}

/** A template with the defaults of its pods. @param kind of the workload, for refusals. @throws StatusError 400 */
export function defaultTemplate(template: Template | undefined, { kind, apiVersion }: ApiObject): Template {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const owner = `${kind} in version "${version}" cannot be handled as a ${kind}`;
  return { metadata: {}, ...template, spec: defaultPodSpec(template?.spec ?? { containers: [] }, { owner, isPod: false }) };
}

/** PodTemplates, which nothing uses: a template alone. */
export const podTemplateRules: ResourceRules = {
  defaults: (object) => ({ ...object, template: defaultTemplate(object['template'] as Template | undefined, object) }),
  validate: (object) => validateTemplate(object['template'] as Template, 'template'),
};

/** Validates only a template, as `ValidatePodTemplateSpec` of `pkg/apis/core/validation` does. */
export function validateTemplate(template: Template | undefined, field: string): FieldError[] {
  return [
    ...validateLabels(template?.metadata?.labels, `${field}.labels`),
    ...validateAnnotations(template?.metadata?.annotations, `${field}.annotations`),
    ...validatePodSpec(template?.spec ?? { containers: [] }, `${field}.spec`),
    ...((template?.spec?.ephemeralContainers ?? []).length === 0
      ? []
      : [forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]),
  ];
}

/** Whether a selector matches the template's labels. A missing one matches nothing; an empty one is not checked. */
export function validateSelects(selector: LabelSelector | undefined, template: Template | undefined, field: string): FieldError[] {
  const labels = template?.metadata?.labels;
  if ((selector !== undefined && isEmpty(selector)) || matchesSelector(selector, labels)) return [];
  return [invalid(`${field}.metadata.labels`, labels, '`selector` does not match template `labels`')];
}

/** @param what kind, in lower case, that does not allow an empty selector */
export function validateSelector(selector: LabelSelector | undefined, what: string, field: string): FieldError[] {
  if (selector === undefined) return [required(field)];
  const errors = validateLabelSelector(selector, field);
  return isEmpty(selector) ? [...errors, invalid(field, selector, `empty selector is invalid for ${what}`)] : errors;
}

/** Pods of a workload that never completes must restart always and have no deadline. @param kind of the workload */
export function validateEndless(template: Template | undefined, kind: string, field: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  return [
    ...(restartPolicy === 'Always' ? [] : [notSupported(`${field}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}
