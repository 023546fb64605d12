import { SelectorSyntaxError, matchesRequirements, parseLabelSelector } from '../../protocols/kube/label-selector.ts';
import { matchesFields, parseFieldSelector } from '../../protocols/kube/field-selector.ts';
import type { KubeOptions } from '../../protocols/kube/request.ts';
import { badRequest } from '../../protocols/kube/status.ts';
import type { ApiObject, Resource } from './resource.ts';

/** Whether an object belongs to a list or watch. */
export type Selection = (object: ApiObject) => boolean;

/**
 * The selection by a request's selectors.
 * @throws StatusError 400 for malformed selectors and unsupported fields
 */
export function selectionOf(resource: Resource, options: KubeOptions): Selection {
  const labels = readLabels(options.labelSelector ?? '');
  const own = resource.rules.fields ?? {};
  const supported = ['metadata.name', ...(resource.namespaced ? ['metadata.namespace'] : []), ...Object.keys(own)];
  const fields = parseFieldSelector(options.fieldSelector ?? '', supported, (field) => unsupported(resource, field));
  if (labels.length === 0 && fields.length === 0) return () => true;
  return (object) =>
    matchesRequirements(labels, object.metadata.labels) &&
    matchesFields(fields, (field) => {
      if (field === 'metadata.name') return object.metadata.name;
      return field === 'metadata.namespace' ? object.metadata.namespace : own[field]?.(object);
    });
}

/** Some resources have their own message, others that of `DefaultMetaV1FieldSelectorConversion`. */
function unsupported({ kind, custom, rules }: Resource, field: string): string {
  if (kind === 'Job') return `field label "${field}" not supported for Job`;
  if (custom || rules.fields !== undefined || WITH_FIELDS.includes(kind)) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** Resources with field selectors in the real server that are not supported here. */
const WITH_FIELDS = ['ReplicationController', 'Service'];

function readLabels(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw badRequest(error.message);
    throw error;
  }
}
