import type { PodSpec, Volume } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateAffinity } from './affinity.ts';
import { validateContainers, validateInitContainers } from './containers.ts';
import { validateEphemeralContainers } from './ephemeral-containers.ts';
import type { EphemeralContainer } from './ephemeral-containers.ts';
import type { FullContainer } from './containers.ts';
import { validateLabels } from './meta.ts';
import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName } from '../../../protocols/kube/names.ts';
import { validateResources } from './resources.ts';
import { validateTolerations } from './tolerations.ts';
import { validateTopologySpread } from './topology-spread.ts';

/** A pod's spec with the fields that only the API server uses here. */
export interface FullPodSpec extends PodSpec {
  containers: FullContainer[];
  initContainers?: FullContainer[];
  ephemeralContainers?: EphemeralContainer[];
  os?: { name?: string };
  dnsPolicy?: string;
  enableServiceLinks?: boolean;
  securityContext?: object;
  serviceAccountName?: string;
  serviceAccount?: string;
  runtimeClassName?: string;
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT_32 = 2_147_483_647;

/**
 * Validates a pod's spec, or a template's, as `ValidatePodSpec` of `pkg/apis/core/validation` does for everything that affects
 * scheduling: containers, resources, ports, volumes by name, node selection, affinity, tolerations and spread. Not checked:
 * probes, environments, security contexts, DNS and the fields of volumes.
 * @param field path of the spec: `spec` or `spec.template.spec`
 */
export function validatePodSpec(spec: FullPodSpec, field: string): FieldError[] {
  const { containers = [], initContainers = [], volumes = [] } = spec;
  const names = new Set(volumes.map(({ name }) => name));
  const isPod = field === 'spec';
  const errors = [
    ...validateVolumes(volumes, `${field}.volumes`),
    ...validateContainers(containers, names, `${field}.containers`),
    ...validateInitContainers(initContainers, containers, names, `${field}.initContainers`),
    ...validateEphemeralContainers(
      spec.ephemeralContainers ?? [],
      [...containers, ...initContainers],
      names,
      `${field}.ephemeralContainers`,
    ),
    ...(spec.resources === undefined ? [] : validateResources(spec.resources, `${field}.resources`)),
    ...(spec.hostNetwork === true ? validateHostNetwork(containers, isPod, `${field}.containers`) : []),
    ...oneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
    ...oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...validateAffinity(spec.affinity ?? {}, `${field}.affinity`),
    ...validateGates(spec.schedulingGates ?? [], `${field}.schedulingGates`),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
  ];
  const named = [
    ['serviceAccountName', checkDnsSubdomain],
    ['nodeName', checkDnsSubdomain],
    ['hostname', checkDnsLabel],
    ['subdomain', checkDnsLabel],
  ] as const;
  for (const [part, check] of named) {
    const name = spec[part] ?? '';
    if (name !== '') errors.push(...check(name).map((problem) => invalid(`${field}.${part}`, name, problem)));
    if (part === 'nodeName') errors.push(...validateDeadline(spec.activeDeadlineSeconds, `${field}.activeDeadlineSeconds`));
  }
  errors.push(...validateTolerations(spec.tolerations ?? [], `${field}.tolerations`));
  for (const part of ['priorityClassName', 'runtimeClassName'] as const) {
    const name = spec[part] ?? '';
    if (name !== '') errors.push(...checkDnsSubdomain(name).map((problem) => invalid(`${field}.${part}`, name, problem)));
  }
  errors.push(...oneOf(spec.preemptionPolicy, PREEMPTION_POLICIES, `${field}.preemptionPolicy`));
  if (spec.overhead !== undefined) errors.push(...validateResources({ limits: spec.overhead }, `${field}.overhead`));
  return errors;
}

/** Combinations that a new pod may not have. */
export function validateNewPod(spec: FullPodSpec): FieldError[] {
  const errors = (spec.ephemeralContainers ?? []).length === 0 ? [] : [forbidden('spec.ephemeralContainers', 'cannot be set on create')];
  if ((spec.nodeName ?? '') === '' || (spec.schedulingGates ?? []).length === 0) return errors;
  return [...errors, forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
}

function oneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  if (value === undefined || supported.includes(value)) return [];
  return [value === '' ? required(field) : notSupported(field, value, supported)];
}

function validateDeadline(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_INT_32)) return [];
  return [invalid(field, seconds, `must be between 1 and ${MAX_INT_32}, inclusive`)];
}

/** A volume source is one field; which one, and its content, is not checked. */
function validateVolumes(volumes: readonly Volume[], field: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const path = `${field}[${index}]`;
    const { name = '', ...source } = volume;
    const sources = Object.keys(source);
    const errors = sources.slice(1).map((one) => forbidden(`${path}.${one}`, 'may not specify more than 1 volume type'));
    if (sources.length === 0) errors.push(required(path, 'must specify a volume type'));
    if (name === '') errors.push(required(`${path}.name`));
    else errors.push(...checkDnsLabel(name).map((problem) => invalid(`${path}.name`, name, problem)));
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
    return errors;
  });
}

function validateHostNetwork(containers: readonly FullContainer[], isPod: boolean, field: string): FieldError[] {
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap(({ containerPort, hostPort = 0 }, at) => {
      if ((!isPod && hostPort === 0) || hostPort === containerPort) return [];
      return [invalid(`${field}[${index}].ports[${at}].hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

function validateGates(gates: readonly { name: string }[], field: string): FieldError[] {
  const seen = new Set<string>();
  return gates.flatMap(({ name = '' }, index) => {
    const path = `${field}[${index}]`;
    const errors = checkQualifiedName(name).map((problem) => invalid(path, name, problem));
    if (seen.has(name)) errors.push(duplicate(path, name));
    seen.add(name);
    return errors;
  });
}
