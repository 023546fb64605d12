import type { Node } from '../../../model/kube.ts';
import type { Owner } from './owner.ts';

/** The namespace of scenarios. */
const NAMESPACE = 'default';
/** Objects that every cluster has, by resource. */
const OF_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  services: ['kubernetes'],
  configmaps: ['kube-root-ca.crt'],
  serviceaccounts: ['default'],
  storageclasses: ['standard'],
};
/** Prefix of the classes that API server and controller manager create. */
const SYSTEM_PREFIX = 'system-';
/** Prefix of the provider ids of kind's own nodes. */
const KIND_NODE_PREFIX = 'kind://';
/**
 * The kinds that scenarios and targets create, in the order of deletion: creators of pods before pods, pools before claims before
 * nodes. Everything else in a cluster is its own.
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
 * The owner for a cluster reserved for trials, where objects have no label: of these kinds, everything in the namespace
 * `default`, and all cluster-wide objects that the cluster and kind did not create themselves.
 */
export const SOLE_TENANT: Owner = {
  labels: {},
  namespace: NAMESPACE,
  owns: (object, plural) => {
    const { name = '', namespace } = object.metadata;
    if (!(KINDS_OF_TRIALS as readonly string[]).includes(plural)) return false;
    if (OF_CLUSTER[plural]?.includes(name) === true || name.startsWith(SYSTEM_PREFIX)) return false;
    if (plural === 'nodes') return (object as Node).spec?.providerID?.startsWith(KIND_NODE_PREFIX) !== true;
    return namespace === undefined || namespace === NAMESPACE;
  },
};
