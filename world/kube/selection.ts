import { SelectorSyntaxError, matchesRequirements, parseLabelSelector } from '../../protocols/kube/label-selector.ts';
import { matchesFields, parseFieldSelector } from '../../protocols/kube/field-selector.ts';
import type { KubeOptions } from '../../protocols/kube/request.ts';
import { badRequest } from '../../protocols/kube/status.ts';
import type { ApiObject, Resource } from './resource.ts';

/** Says whether an object belongs to a list or watch. */
export type Selection = (object: ApiObject) => boolean;

/**
 * What the selectors of a request select.
 * @throws StatusError 400 for selectors that can't be read and fields that can't be selected by
 */
export function selectionOf(resource: Resource, options: KubeOptions): Selection {
  const labels = readLabels(options.labelSelector ?? '');
  const own = resource.rules.fields ?? {};
  const supported = ['metadata.name', ...(resource.namespaced ? ['metadata.namespace'] : []), ...Object.keys(own)];
  const fields = parseFieldSelector(options.fieldSelector ?? '', supported);
  if (labels.length === 0 && fields.length === 0) return () => true;
  return (object) =>
    matchesRequirements(labels, object.metadata.labels) &&
    matchesFields(fields, (field) => {
      if (field === 'metadata.name') return object.metadata.name;
      return field === 'metadata.namespace' ? object.metadata.namespace : own[field]?.(object);
    });
}

function readLabels(text: string): ReturnType<typeof parseLabelSelector> {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw badRequest(error.message);
    throw error;
  }
}
