import type { Resource, ResourceRules, Subresource } from './resource.ts';
import { accessReview, rulesReview, selfAccessReview, selfReview, tokenReview } from './reviews.ts';
import { bindingRules } from './rules/admission-bindings.ts';
import { policyRules } from './rules/admission-policies.ts';
import { budgetRules } from './rules/budgets.ts';
import { crdRules } from './rules/crds.ts';
import { eventConversion, eventRules, newEventRules } from './rules/events.ts';
import { cronJobRules, jobRules } from './rules/jobs.ts';
import { nodeRules } from './rules/nodes.ts';
import { limitRangeRules } from './rules/limit-ranges.ts';
import { horizontalAutoscalerRules, leaseRules, namespaceRules, priorityClassRules } from './rules/others.ts';
import { endpointSliceRules, endpointsRules, networkPolicyRules } from './rules/networking.ts';
import { podRules } from './rules/pods.ts';
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from './rules/roles.ts';
import { quotaRules } from './rules/quotas.ts';
import { configMapRules, secretRules, serviceRules } from './rules/services.ts';
import { claimRules, driverRules, storageClassRules, volumeAttachmentRules, volumeRules } from './rules/storage.ts';
import { podTemplateRules } from './rules/templates.ts';
import { mutatingWebhookRules, validatingWebhookRules } from './rules/webhook-configurations.ts';
import { daemonSetRules, deploymentRules, replicaSetRules, replicationControllerRules, statefulSetRules } from './rules/workloads.ts';

/** The defaults for most resources; entries below override them. */
const COMMON = {
  version: 'v1',
  shortNames: [] as readonly string[],
  categories: [] as readonly string[],
  namespaced: true,
  subresources: [] as readonly Subresource[],
  custom: false,
  generation: false,
  returnsDeleted: false,
  deletesCollection: true,
  createsOnPut: false,
  unconditionalUpdate: true,
  nameRule: 'subdomain' as Resource['nameRule'],
  rules: {} as ResourceRules,
};

type Entry = Partial<typeof COMMON> &
  Pick<Resource, 'plural' | 'kind' | 'scale' | 'conversion' | 'review'> & { readonly storedAs?: string };

/** The resources of one group. */
function inGroup(group: string, ...entries: readonly Entry[]): Resource[] {
  return entries.map(({ storedAs, ...entry }) => ({
    ...COMMON,
    ...entry,
    id: storedAs ?? (group === '' ? entry.plural : `${entry.plural}.${group}`),
    group,
    singular: entry.kind.toLowerCase(),
    storageVersion: entry.version ?? COMMON.version,
    listKind: `${entry.kind}List`,
  }));
}

const ALL = ['all'];
const EXTENSIONS = ['api-extensions'];
/** With a status subresource, and a generation that counts changes of the spec. */
const CONTROLLED = { subresources: ['status'] as readonly Subresource[], generation: true };
const CLUSTER_SCOPED = { namespaced: false };
/** Workloads with replicas. */
const SCALED = {
  ...CONTROLLED,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.spec.selector' },
};

/**
 * The built-in resources that the embedded world serves: all that schedulers and autoscalers list and watch, and what is
 * common in users' manifests. Without rules, an object is stored as sent, except its metadata.
 */
export const BUILT_IN_RESOURCES: readonly Resource[] = [
  ...inGroup(
    '',
    {
      plural: 'pods',
      kind: 'Pod',
      returnsDeleted: true,
      shortNames: ['po'],
      categories: ALL,
      subresources: ['status', 'binding', 'eviction', 'ephemeralcontainers', 'resize'],
      generation: true,
      rules: podRules,
    },
    { plural: 'nodes', kind: 'Node', shortNames: ['no'], ...CLUSTER_SCOPED, subresources: ['status'], rules: nodeRules },
    {
      plural: 'namespaces',
      kind: 'Namespace',
      returnsDeleted: true,
      shortNames: ['ns'],
      ...CLUSTER_SCOPED,
      deletesCollection: false,
      subresources: ['status', 'finalize'],
      nameRule: 'label',
      rules: namespaceRules,
    },
    { plural: 'events', kind: 'Event', createsOnPut: true, shortNames: ['ev'], rules: eventRules },
    { plural: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'], rules: configMapRules },
    { plural: 'secrets', kind: 'Secret', rules: secretRules },
    { plural: 'serviceaccounts', kind: 'ServiceAccount', returnsDeleted: true, shortNames: ['sa'], subresources: ['token'] },
    {
      plural: 'services',
      kind: 'Service',
      createsOnPut: true,
      returnsDeleted: true,
      shortNames: ['svc'],
      categories: ALL,
      subresources: ['status'],
      nameRule: 'dns-1035',
      rules: serviceRules,
    },
    { plural: 'endpoints', kind: 'Endpoints', createsOnPut: true, shortNames: ['ep'], rules: endpointsRules },
    {
      plural: 'replicationcontrollers',
      kind: 'ReplicationController',
      shortNames: ['rc'],
      categories: ALL,
      ...CONTROLLED,
      rules: replicationControllerRules,
    },
    { plural: 'podtemplates', kind: 'PodTemplate', returnsDeleted: true, generation: true, rules: podTemplateRules },
    {
      plural: 'persistentvolumeclaims',
      kind: 'PersistentVolumeClaim',
      returnsDeleted: true,
      shortNames: ['pvc'],
      subresources: ['status'],
      rules: claimRules,
    },
    {
      plural: 'persistentvolumes',
      kind: 'PersistentVolume',
      returnsDeleted: true,
      shortNames: ['pv'],
      ...CLUSTER_SCOPED,
      subresources: ['status'],
      rules: volumeRules,
    },
    { plural: 'limitranges', kind: 'LimitRange', createsOnPut: true, rules: limitRangeRules, shortNames: ['limits'] },
    {
      plural: 'resourcequotas',
      kind: 'ResourceQuota',
      returnsDeleted: true,
      shortNames: ['quota'],
      subresources: ['status'],
      rules: quotaRules,
    },
  ),
  ...inGroup('events.k8s.io', {
    plural: 'events',
    kind: 'Event',
    storedAs: 'events',
    shortNames: ['ev'],
    createsOnPut: true,
    rules: newEventRules,
    conversion: eventConversion,
  }),
  ...inGroup('coordination.k8s.io', { plural: 'leases', kind: 'Lease', createsOnPut: true, unconditionalUpdate: false, rules: leaseRules }),
  ...inGroup(
    'apps',
    { plural: 'replicasets', kind: 'ReplicaSet', shortNames: ['rs'], categories: ALL, ...SCALED, rules: replicaSetRules },
    { plural: 'deployments', kind: 'Deployment', shortNames: ['deploy'], categories: ALL, ...SCALED, rules: deploymentRules },
    { plural: 'statefulsets', kind: 'StatefulSet', shortNames: ['sts'], categories: ALL, ...SCALED, rules: statefulSetRules },
    { plural: 'daemonsets', kind: 'DaemonSet', shortNames: ['ds'], categories: ALL, ...CONTROLLED, rules: daemonSetRules },
    { plural: 'controllerrevisions', kind: 'ControllerRevision' },
  ),
  ...inGroup(
    'batch',
    { plural: 'jobs', kind: 'Job', categories: ALL, ...CONTROLLED, rules: jobRules },
    { plural: 'cronjobs', kind: 'CronJob', shortNames: ['cj'], categories: ALL, ...CONTROLLED, rules: cronJobRules },
  ),
  ...inGroup('policy', {
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    ...CONTROLLED,
    unconditionalUpdate: false,
    rules: budgetRules,
  }),
  ...inGroup('autoscaling', {
    plural: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    version: 'v2',
    shortNames: ['hpa'],
    categories: ALL,
    subresources: ['status'],
    rules: horizontalAutoscalerRules,
  }),
  ...inGroup(
    'storage.k8s.io',
    {
      plural: 'storageclasses',
      kind: 'StorageClass',
      returnsDeleted: true,
      shortNames: ['sc'],
      ...CLUSTER_SCOPED,
      rules: storageClassRules,
    },
    { plural: 'csinodes', kind: 'CSINode', returnsDeleted: true, ...CLUSTER_SCOPED, unconditionalUpdate: false },
    { plural: 'csidrivers', kind: 'CSIDriver', returnsDeleted: true, ...CLUSTER_SCOPED, unconditionalUpdate: false, rules: driverRules },
    { plural: 'csistoragecapacities', kind: 'CSIStorageCapacity' },
    {
      plural: 'volumeattachments',
      kind: 'VolumeAttachment',
      returnsDeleted: true,
      ...CLUSTER_SCOPED,
      subresources: ['status'],
      unconditionalUpdate: false,
      rules: volumeAttachmentRules,
    },
    { plural: 'volumeattributesclasses', kind: 'VolumeAttributesClass', returnsDeleted: true, shortNames: ['vac'], ...CLUSTER_SCOPED },
  ),
  ...inGroup('scheduling.k8s.io', {
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    shortNames: ['pc'],
    ...CLUSTER_SCOPED,
    generation: true,
    rules: priorityClassRules,
  }),
  ...inGroup('node.k8s.io', { plural: 'runtimeclasses', kind: 'RuntimeClass', createsOnPut: true, ...CLUSTER_SCOPED }),
  ...inGroup(
    'resource.k8s.io',
    { plural: 'deviceclasses', kind: 'DeviceClass', returnsDeleted: true, ...CLUSTER_SCOPED, generation: true },
    { plural: 'resourceclaims', kind: 'ResourceClaim', returnsDeleted: true, subresources: ['status'] },
    { plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', returnsDeleted: true },
    { plural: 'resourceslices', kind: 'ResourceSlice', returnsDeleted: true, ...CLUSTER_SCOPED, generation: true },
  ),
  ...inGroup(
    'rbac.authorization.k8s.io',
    { plural: 'roles', kind: 'Role', createsOnPut: true, nameRule: 'path', rules: roleRules },
    { plural: 'rolebindings', kind: 'RoleBinding', createsOnPut: true, nameRule: 'path', rules: roleBindingRules },
    { plural: 'clusterroles', kind: 'ClusterRole', createsOnPut: true, ...CLUSTER_SCOPED, nameRule: 'path', rules: clusterRoleRules },
    {
      plural: 'clusterrolebindings',
      kind: 'ClusterRoleBinding',
      createsOnPut: true,
      ...CLUSTER_SCOPED,
      nameRule: 'path',
      rules: clusterRoleBindingRules,
    },
  ),
  ...inGroup(
    'networking.k8s.io',
    { plural: 'ingresses', kind: 'Ingress', shortNames: ['ing'], ...CONTROLLED },
    { plural: 'ingressclasses', kind: 'IngressClass', ...CLUSTER_SCOPED, generation: true },
    { plural: 'networkpolicies', kind: 'NetworkPolicy', shortNames: ['netpol'], generation: true, rules: networkPolicyRules },
    { plural: 'servicecidrs', kind: 'ServiceCIDR', ...CLUSTER_SCOPED, subresources: ['status'] },
    { plural: 'ipaddresses', kind: 'IPAddress', shortNames: ['ip'], ...CLUSTER_SCOPED },
  ),
  // Stored: nothing approves or signs.
  ...inGroup('certificates.k8s.io', {
    plural: 'certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    shortNames: ['csr'],
    ...CLUSTER_SCOPED,
    subresources: ['status'],
  }),
  ...inGroup('discovery.k8s.io', { plural: 'endpointslices', kind: 'EndpointSlice', generation: true, rules: endpointSliceRules }),
  ...inGroup(
    'authorization.k8s.io',
    { plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', ...CLUSTER_SCOPED, review: selfAccessReview },
    { plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', ...CLUSTER_SCOPED, review: accessReview },
    { plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', review: accessReview },
    { plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', ...CLUSTER_SCOPED, review: rulesReview },
  ),
  ...inGroup(
    'authentication.k8s.io',
    { plural: 'tokenreviews', kind: 'TokenReview', ...CLUSTER_SCOPED, review: tokenReview },
    { plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', ...CLUSTER_SCOPED, review: selfReview },
  ),
  ...inGroup(
    'admissionregistration.k8s.io',
    {
      plural: 'mutatingwebhookconfigurations',
      kind: 'MutatingWebhookConfiguration',
      categories: EXTENSIONS,
      ...CLUSTER_SCOPED,
      generation: true,
      unconditionalUpdate: false,
      rules: mutatingWebhookRules,
    },
    {
      plural: 'validatingwebhookconfigurations',
      kind: 'ValidatingWebhookConfiguration',
      categories: EXTENSIONS,
      ...CLUSTER_SCOPED,
      generation: true,
      unconditionalUpdate: false,
      rules: validatingWebhookRules,
    },
    {
      plural: 'validatingadmissionpolicies',
      kind: 'ValidatingAdmissionPolicy',
      categories: EXTENSIONS,
      ...CLUSTER_SCOPED,
      ...CONTROLLED,
      unconditionalUpdate: false,
      rules: policyRules,
    },
    {
      plural: 'validatingadmissionpolicybindings',
      kind: 'ValidatingAdmissionPolicyBinding',
      categories: EXTENSIONS,
      ...CLUSTER_SCOPED,
      generation: true,
      unconditionalUpdate: false,
      rules: bindingRules,
    },
  ),
  ...inGroup('apiextensions.k8s.io', {
    plural: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    shortNames: ['crd', 'crds'],
    categories: EXTENSIONS,
    ...CLUSTER_SCOPED,
    ...CONTROLLED,
    unconditionalUpdate: false,
    rules: crdRules,
  }),
];
