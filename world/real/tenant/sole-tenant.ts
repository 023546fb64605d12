import type { Node } from '../../../model/kube.ts';
import type { Owner } from './owner.ts';

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
/**
 * What scenarios and targets make, in the order in which it goes: who makes pods before pods, pools before claims before nodes.
 * The rest of what a cluster serves is its own.
 */
export const KINDS_OF_TRIALS = [
  'cronjobs',
  'jobs',
  'deployments',
  'statefulsets',
  'daemonsets',
  'replicasets',
  'poddisruptionbudgets',
  'pods',
  'services',
  'secrets',
  'serviceaccounts',
  'configmaps',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'priorityclasses',
  'nodepools',
  'nodeclaims',
  'ec2nodeclasses',
  'nodes',
] as const;

/**
 * The trials of a cluster that is there for them alone, where nothing bears a label: of such kinds what lies in the namespace
 * `default`, and of what lies in none all that the cluster and kind did not make themselves.
 */
export const SOLE_TENANT: Owner = {
  labels: {},
  namespace: NAMESPACE,
  owns: (object, plural) => {
    const { name = '', namespace } = object.metadata;
    if (!(KINDS_OF_TRIALS as readonly string[]).includes(plural)) return false;
    if (OF_CLUSTER[plural]?.includes(name) === true || name.startsWith(SYSTEM)) return false;
    if (plural === 'nodes') return (object as Node).spec?.providerID?.startsWith(KINDS_NODE) !== true;
    return namespace === undefined || namespace === NAMESPACE;
  },
};
