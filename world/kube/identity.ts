import type { ObjectMeta } from '../../model/kube.ts';
import { badRequest } from '../../protocols/kube/status.ts';
import type { Location } from './resource.ts';

/** @throws StatusError 400 if an object's name or namespace is not that of the URL (`checkName` of the handlers) */
export function checkName({ name, namespace }: Pick<Location, 'name' | 'namespace'>, sent: ObjectMeta): void {
  checkSameNamespace(sent, namespace);
  const { name: own = '' } = sent;
  if (own === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}

/**
 * The namespace of a request counts: one in the object is dropped if the request has none, since charts send it with cluster-scoped
 * objects, too (`EnsureObjectNamespaceMatchesRequestNamespace`).
 * @throws StatusError 400 if both have one and they differ
 */
export function checkSameNamespace(sent: ObjectMeta, namespace: string | undefined): void {
  if (namespace !== undefined && (sent.namespace ?? '') !== '' && sent.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Metadata without a namespace if the request has none. */
export function inNamespace(meta: ObjectMeta, namespace: string | undefined): ObjectMeta {
  if (namespace !== undefined || meta.namespace === undefined) return meta;
  const { namespace: _dropped, ...rest } = meta;
  return rest;
}
