import type { KubeObject, OwnerReference } from './kube.ts';

/** The owner that manages an object, if one does. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
