import { defined } from '../../../model/defined.ts';
import type { KubeEvent, KubeObject, Node, ObjectMeta } from '../../../model/kube.ts';
import { ClusterError } from '../../ports.ts';
import type { ClusterPort, ListFilter, ObjectRef } from '../../ports.ts';
import { MAX_PODS } from './tenant.ts';
import type { Tenant } from './tenant.ts';

/** Resources of which a port shows only the tenant's objects. */
const SHOWN: readonly string[] = ['pods', 'nodes', 'nodeclaims', 'nodepools', 'ec2nodeclasses'];

/**
 * A cluster as a tenant's parts and scenarios see it: what they create belongs to the tenant, they see only the tenant's pods,
 * nodes, claims, pools, node classes and events, and they can't write to nodes of others.
 */
export function createTenantPort(port: ClusterPort, tenant: Tenant): ClusterPort {
  const located = (ref: ObjectRef): ObjectRef =>
    ref.namespace === undefined ? ref : { ...ref, namespace: tenant.namespaceFor(ref.namespace) };
  const isShown = (resource: string, object: KubeObject): boolean => {
    if (resource === 'events') return isAboutTenants(tenant, object);
    return !SHOWN.includes(resource) || tenant.owns(object);
  };
  /** Kubelets and the cloud controller identify nodes by names, which others may use too. */
  const refuseForeign = async (ref: ObjectRef): Promise<void> => {
    if (ref.resource !== 'nodes') return;
    const node = await port.get<Node>(ref);
    if (node !== undefined && !tenant.owns(node)) {
      throw new ClusterError(
        403,
        'Forbidden',
        `nodes "${ref.name}" is forbidden: it does not belong to run ${tenant.run}, which leaves it alone`,
      );
    }
  };
  /** Pods that its workloads request, by workload. */
  const asked = new Map<string, number>();
  const refuseTooMany = ({ resource, namespace, name }: ObjectRef, object: object): void => {
    const { spec } = object as { spec?: { replicas?: number; parallelism?: number } };
    const replicas = spec?.replicas ?? spec?.parallelism;
    if (replicas === undefined) return;
    const key = [resource, namespace, name].join('/');
    const others = [...asked].reduce((sum, [other, count]) => sum + (other === key ? 0 : count), 0);
    if (others + replicas > MAX_PODS)
      throw new ClusterError(403, 'Forbidden', `${resource} "${name}" requests more than the ${MAX_PODS} pods that the plan allows`);
    asked.set(key, replicas);
  };
  return {
    get: (ref) => port.get(located(ref)),
    list: async <T extends KubeObject>(resource: string, { namespace, ...others }: ListFilter = {}) => {
      const filter = { ...others, ...defined({ namespace: namespace === undefined ? undefined : tenant.namespaceFor(namespace) }) };
      const objects = await port.list<T>(resource, filter);
      return objects.filter((object) => isShown(resource, object));
    },
    create: async <T extends KubeObject>(resource: string, object: T & { metadata: ObjectMeta }) => {
      const { namespace, name = '' } = object.metadata;
      refuseTooMany({ resource, name, ...defined({ namespace }) }, object);
      return port.create<T>(resource, tenant.adapt(resource, object));
    },
    patch: async <T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status') => {
      await refuseForeign(ref);
      refuseTooMany(ref, patch);
      return port.patch<T>(located(ref), patch, subresource);
    },
    delete: async (ref, options) => {
      await refuseForeign(ref);
      await port.delete(located(ref), options);
      asked.delete([ref.resource, ref.namespace, ref.name].join('/'));
    },
    bind: (pod, nodeName) => port.bind(located(pod), nodeName),
    evict: (pod) => port.evict(located(pod)),
    watch: <T extends KubeObject>(resource: string, signal: AbortSignal, onChange: Parameters<typeof port.watch<T>>[2]) => {
      port.watch<T>(resource, signal, (change) => {
        if (isShown(resource, change.object)) onChange(change);
      });
    },
  };
}

/** Events about cluster-wide objects are in `default`: only the object's name can tell whose it is. */
function isAboutTenants(tenant: Tenant, { involvedObject }: Partial<KubeEvent>): boolean {
  const namespace = involvedObject?.namespace ?? '';
  return namespace === '' || tenant.hasNamespace(namespace);
}
