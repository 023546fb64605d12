import type { ApiObject } from '../resource.ts';

/** By which a namespace waits for this controller. */
export const NAMESPACE_FINALIZER = 'kubernetes';

/** A namespace's own finalizers, in its spec. */
export function finalizersOf(namespace: ApiObject): string[] {
  return (namespace.spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}
