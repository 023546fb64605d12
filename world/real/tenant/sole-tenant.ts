import type { Node } from '../../../model/kube.ts';
import type { Owner } from './clean.ts';

/** Where scenarios deploy. */
const NAMESPACE = 'default';
/** What every cluster has in it, by resource. */
const OF_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  services: ['kubernetes'],
  configmaps: ['kube-root-ca.crt'],
  serviceaccounts: ['default'],
  storageclasses: ['standard'],
};
/** Classes that API server and controller manager make for themselves begin so. */
const SYSTEM = 'system-';
/** What kind writes on the nodes that it makes itself. */
const KINDS_NODE = 'kind://';
/** No scenario's, whoever made them. */
const NEVER: readonly string[] = ['namespaces', 'customresourcedefinitions'];

/**
 * The trials of a cluster that is there for them alone, where nothing bears a label: what lies in the namespace `default`, and
 * of what lies in none all that the cluster and kind did not make themselves.
 */
export const SOLE_TENANT: Owner = {
  labels: {},
  namespace: NAMESPACE,
  owns: (object, plural) => {
    const { name = '', namespace } = object.metadata;
    if (NEVER.includes(plural) || OF_CLUSTER[plural]?.includes(name) === true || name.startsWith(SYSTEM)) return false;
    if (plural === 'nodes') return (object as Node).spec?.providerID?.startsWith(KINDS_NODE) !== true;
    return namespace === undefined || namespace === NAMESPACE;
  },
};
