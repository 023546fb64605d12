import type { KubeObject } from '../../../model/kube.ts';

/** Whose objects are removed: those of a run in a shared cluster (`Tenant`), or of all trials in a cluster of their own (`SOLE_TENANT`). */
export interface Owner {
  /** The labels of all its objects, as a selector. */
  readonly labels: Readonly<Record<string, string>>;
  /** The namespace that stays while the run continues. */
  readonly namespace: string;
  /** @param plural of the object's resource */
  owns(object: KubeObject, plural: string): boolean;
}
