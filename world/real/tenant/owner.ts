import type { KubeObject } from '../../../model/kube.ts';

/** Whose things are taken away: a run's in a cluster of others (`Tenant`), or all trials' in a cluster of their own (`SOLE_TENANT`). */
export interface Owner {
  /** What all of it bears, as a selector. */
  readonly labels: Readonly<Record<string, string>>;
  /** The namespace that stays while the run goes on. */
  readonly namespace: string;
  /** @param plural of the object's resource */
  owns(object: KubeObject, plural: string): boolean;
}
