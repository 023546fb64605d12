import type { ApiObject } from '../resource.ts';

/** The finalizer that keeps a namespace until its controller has emptied it. */
export const NAMESPACE_FINALIZER = 'kubernetes';

/** A namespace's own finalizers, in its spec. */
export function finalizersOf(namespace: ApiObject): string[] {
  return (namespace.spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}
