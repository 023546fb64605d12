import type { Resource } from '../resource.ts';
import * as cluster from './cluster.ts';
import { NAME, column } from './columns.ts';
import type { Printer } from './columns.ts';
import { customPrinter } from './custom.ts';
import { podPrinter } from './pods.ts';
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
  services: cluster.servicePrinter,
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
};

/** The real server's printer for resources without one of their own, e.g. CustomResourceDefinitions. */
const DEFAULT: Printer = {
  columns: [NAME, column('Created At', 'date')],
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
};

export function printerOf(resource: Resource): Printer {
  return resource.custom ? customPrinter(resource) : (PRINTERS[resource.id] ?? DEFAULT);
}
