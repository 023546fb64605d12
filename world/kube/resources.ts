import type { Resource, ResourceRules, Subresource } from './resource.ts';
import { crdRules } from './rules/crds.ts';
import { nodeRules } from './rules/nodes.ts';
import { eventRules, namespaceRules, priorityClassRules } from './rules/others.ts';
import { podRules } from './rules/pods.ts';
import { workloadRules } from './rules/workloads.ts';

/** What most resources have in common; an entry below says where it differs. */
const COMMON = {
  version: 'v1',
  shortNames: [] as readonly string[],
  namespaced: true,
  subresources: [] as readonly Subresource[],
  custom: false,
  generation: false,
  unconditionalUpdate: true,
  nameRule: 'subdomain' as Resource['nameRule'],
  rules: {} as ResourceRules,
};

type Entry = Partial<typeof COMMON> & { readonly group: string; readonly plural: string; readonly kind: string };

function define(entry: Entry): Resource {
  return {
    ...COMMON,
    ...entry,
    id: entry.group === '' ? entry.plural : `${entry.plural}.${entry.group}`,
    singular: entry.kind.toLowerCase(),
    listKind: `${entry.kind}List`,
  };
}

/** The built-in resources that the embedded world serves. A new one is one entry, with rules where it needs some. */
export const BUILT_IN_RESOURCES: readonly Resource[] = [
  define({
    group: '',
    plural: 'pods',
    kind: 'Pod',
    shortNames: ['po'],
    subresources: ['status', 'binding', 'eviction'],
    generation: true,
    rules: podRules,
  }),
  define({ group: '', plural: 'nodes', kind: 'Node', shortNames: ['no'], namespaced: false, subresources: ['status'], rules: nodeRules }),
  define({
    group: '',
    plural: 'namespaces',
    kind: 'Namespace',
    shortNames: ['ns'],
    namespaced: false,
    subresources: ['status'],
    nameRule: 'label',
    rules: namespaceRules,
  }),
  define({ group: '', plural: 'events', kind: 'Event', shortNames: ['ev'], rules: eventRules }),
  define({ group: '', plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] }),
  define({ group: '', plural: 'serviceaccounts', kind: 'ServiceAccount', shortNames: ['sa'] }),
  define({ group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease', unconditionalUpdate: false }),
  define({
    group: 'apps',
    plural: 'replicasets',
    kind: 'ReplicaSet',
    shortNames: ['rs'],
    subresources: ['status'],
    generation: true,
    rules: workloadRules({ replicas: true, status: { replicas: 0 } }),
  }),
  define({
    group: 'apps',
    plural: 'deployments',
    kind: 'Deployment',
    shortNames: ['deploy'],
    subresources: ['status'],
    generation: true,
    rules: workloadRules({ replicas: true, status: {} }),
  }),
  define({
    group: 'apps',
    plural: 'daemonsets',
    kind: 'DaemonSet',
    shortNames: ['ds'],
    subresources: ['status'],
    generation: true,
    rules: workloadRules({
      replicas: false,
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    }),
  }),
  define({
    group: 'policy',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    subresources: ['status'],
    generation: true,
    unconditionalUpdate: false,
  }),
  define({
    group: 'scheduling.k8s.io',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    shortNames: ['pc'],
    namespaced: false,
    rules: priorityClassRules,
  }),
  define({
    group: 'apiextensions.k8s.io',
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    namespaced: false,
    subresources: ['status'],
    generation: true,
    unconditionalUpdate: false,
    rules: crdRules,
  }),
];
