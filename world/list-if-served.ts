import type { KubeObject } from '../model/kube.ts';
import { ClusterError } from './ports.ts';
import type { ClusterPort } from './ports.ts';

/** The objects of a resource; none where the autoscaler does not install it. @throws ClusterError for other refusals */
export async function listIfServed<T extends KubeObject = KubeObject>(cluster: ClusterPort, resource: string): Promise<T[]> {
  try {
    return await cluster.list<T>(resource);
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return [];
    throw error;
  }
}
