import type { Resource } from '../resource.ts';
import * as cluster from './cluster.ts';
import { NAME, column } from './columns.ts';
import type { Printer } from './columns.ts';
import { customPrinter } from './custom.ts';
import * as network from './network.ts';
import { podPrinter } from './pods.ts';
import * as policies from './policies.ts';
import * as workloads from './workloads.ts';

/** Printers of built-in resources by id. */
const PRINTERS: Readonly<Record<string, Printer>> = {
  pods: podPrinter,
  nodes: cluster.nodePrinter,
  namespaces: cluster.namespacePrinter,
  events: cluster.eventPrinter,
  configmaps: cluster.configMapPrinter,
  secrets: cluster.secretPrinter,
  serviceaccounts: cluster.serviceAccountPrinter,
  services: network.servicePrinter,
  endpoints: network.endpointsPrinter,
  podtemplates: workloads.podTemplatePrinter,
  resourcequotas: policies.quotaPrinter,
  persistentvolumes: cluster.volumePrinter,
  persistentvolumeclaims: cluster.claimPrinter,
  replicationcontrollers: workloads.replicaSetPrinter,
  'leases.coordination.k8s.io': cluster.leasePrinter,
  'replicasets.apps': workloads.replicaSetPrinter,
  'deployments.apps': workloads.deploymentPrinter,
  'statefulsets.apps': workloads.statefulSetPrinter,
  'daemonsets.apps': workloads.daemonSetPrinter,
  'controllerrevisions.apps': cluster.controllerRevisionPrinter,
  'jobs.batch': workloads.jobPrinter,
  'cronjobs.batch': workloads.cronJobPrinter,
  'poddisruptionbudgets.policy': cluster.budgetPrinter,
  'priorityclasses.scheduling.k8s.io': cluster.priorityClassPrinter,
  'storageclasses.storage.k8s.io': cluster.storageClassPrinter,
  'csinodes.storage.k8s.io': cluster.csiNodePrinter,
  'volumeattachments.storage.k8s.io': cluster.volumeAttachmentPrinter,
  'resourceslices.resource.k8s.io': cluster.resourceSlicePrinter,
  'deviceclasses.resource.k8s.io': cluster.agePrinter,
  'resourceclaims.resource.k8s.io': policies.resourceClaimPrinter,
  'resourceclaimtemplates.resource.k8s.io': cluster.agePrinter,
  'csidrivers.storage.k8s.io': cluster.csiDriverPrinter,
  'volumeattributesclasses.storage.k8s.io': cluster.attributesClassPrinter,
  'horizontalpodautoscalers.autoscaling': policies.horizontalAutoscalerPrinter,
  'runtimeclasses.node.k8s.io': policies.runtimeClassPrinter,
  'rolebindings.rbac.authorization.k8s.io': policies.roleBindingPrinter,
  'clusterrolebindings.rbac.authorization.k8s.io': policies.roleBindingPrinter,
  'ingresses.networking.k8s.io': network.ingressPrinter,
  'ingressclasses.networking.k8s.io': network.ingressClassPrinter,
  'networkpolicies.networking.k8s.io': network.networkPolicyPrinter,
  'servicecidrs.networking.k8s.io': network.serviceCidrPrinter,
  'ipaddresses.networking.k8s.io': network.addressPrinter,
  'endpointslices.discovery.k8s.io': network.endpointSlicePrinter,
  'certificatesigningrequests.certificates.k8s.io': policies.signingRequestPrinter,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': policies.webhookPrinter,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': policies.webhookPrinter,
  'validatingadmissionpolicies.admissionregistration.k8s.io': policies.admissionPolicyPrinter,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policies.admissionBindingPrinter,
};

/** The real server's printer for resources without one of their own, e.g. CustomResourceDefinitions. */
const DEFAULT: Printer = {
  columns: [NAME, column('Created At', 'date')],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
};

export function printerOf(resource: Resource): Printer {
  return resource.custom ? customPrinter(resource) : (PRINTERS[resource.id] ?? DEFAULT);
}
