import type { ResourceType } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';

/** Resources that the world's own parts and scenarios use in addition to those of autoscalers. */
const MORE: readonly ResourceType[] = [
  { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
  { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true },
  { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true },
  { group: 'batch', version: 'v1', plural: 'cronjobs', kind: 'CronJob', namespaced: true },
  { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true },
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true },
  { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses', kind: 'PriorityClass', namespaced: false },
];

const ALL: readonly ResourceType[] = [...Object.values(RESOURCES), ...MORE];

/** A resource by its plural name, as a world's parts use it. */
export function resourceOfPlural(plural: string): ResourceType | undefined {
  return ALL.find((type) => type.plural === plural);
}

export function resourceOfKind(kind: string): ResourceType | undefined {
  return ALL.find((type) => type.kind === kind);
}
