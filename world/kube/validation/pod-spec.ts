import type { PodSpec } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateAffinity } from './affinity.ts';
import { validateContainers, validateImages, validateInitContainers } from './containers.ts';
import { validateEphemeralContainers } from './ephemeral-containers.ts';
import type { EphemeralContainer } from './ephemeral-containers.ts';
import type { FullContainer } from './containers.ts';
import { validateLabels } from './meta.ts';
import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName } from '../../../protocols/kube/names.ts';
import { validateResources } from './resources.ts';
import { validateDns, validateHostAliases } from './dns.ts';
import type { DnsConfig, HostAlias } from './dns.ts';
import { validateHostUsers, validatePodSecurity } from './security.ts';
import type { PodSecurity } from './security.ts';
import { validateVolumes } from './volumes.ts';
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
  securityContext?: PodSecurity;
  dnsConfig?: DnsConfig;
  hostAliases?: HostAlias[];
  readinessGates?: { conditionType?: string }[];
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  serviceAccountName?: string;
  serviceAccount?: string;
  runtimeClassName?: string;
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const SYSTEMS = ['linux', 'windows'];
const MAX_INT_32 = 2_147_483_647;

/**
 * Validates a pod's spec, or a template's, as `ValidatePodSpec` of `pkg/apis/core/validation` does. Not checked: block devices, what
 * only Windows has, claims of devices, and volumes of single clouds and old network storages.
 * @param field path of the spec: `spec` or `spec.template.spec`
 */
export function validatePodSpec(spec: FullPodSpec, field: string): FieldError[] {
  const { containers = [], initContainers = [], volumes = [] } = spec;
  const { errors: ofVolumes, names } = validateVolumes(volumes, `${field}.volumes`);
  const { securityContext = {}, terminationGracePeriodSeconds: graceSeconds = 0 } = spec;
  const pod = { volumes: names, graceSeconds, hasHostUsers: spec.hostUsers !== false };
  const isPod = field === 'spec';
  const errors = [
    ...ofVolumes,
    ...validateContainers(containers, pod, `${field}.containers`),
    ...validateInitContainers(initContainers, containers, pod, `${field}.initContainers`),
    ...validateEphemeralContainers(spec.ephemeralContainers ?? [], [...containers, ...initContainers], pod, `${field}.ephemeralContainers`),
    ...(spec.resources === undefined ? [] : validateResources(spec.resources, `${field}.resources`)),
    ...(spec.hostNetwork === true ? validateHostNetwork(containers, isPod, `${field}.containers`) : []),
    ...oneOf(spec.restartPolicy, RESTART_POLICIES, `${field}.restartPolicy`),
    ...oneOf(spec.dnsPolicy, DNS_POLICIES, `${field}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...validatePodSecurity(securityContext, spec, `${field}.securityContext`),
    ...validateAffinity(spec.affinity ?? {}, `${field}.affinity`),
    ...validateDns(spec.dnsConfig, spec.dnsPolicy, `${field}.dnsConfig`),
    ...validateReadinessGates(spec.readinessGates ?? [], `${field}.readinessGates`),
    ...validateGates(spec.schedulingGates ?? [], `${field}.schedulingGates`),
    ...validateTopologySpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`),
    ...validateHostUsers(spec, field),
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
  errors.push(...validateHostAliases(spec.hostAliases ?? [], `${field}.hostAliases`));
  for (const part of ['priorityClassName', 'runtimeClassName'] as const) {
    const name = spec[part] ?? '';
    if (name !== '') errors.push(...checkDnsSubdomain(name).map((problem) => invalid(`${field}.${part}`, name, problem)));
  }
  errors.push(...oneOf(spec.preemptionPolicy, PREEMPTION_POLICIES, `${field}.preemptionPolicy`));
  if (spec.overhead !== undefined) errors.push(...validateResources({ limits: spec.overhead }, `${field}.overhead`));
  if (isPod)
    errors.push(...validateImages(containers, `${field}.containers`), ...validateImages(initContainers, `${field}.initContainers`));
  if (spec.os !== undefined) errors.push(...validateSystem(spec.os.name, `${field}.os`));
  return errors;
}

/** Combinations that a new pod may not have. */
export function validateNewPod(spec: FullPodSpec): FieldError[] {
  const errors = (spec.ephemeralContainers ?? []).length === 0 ? [] : [forbidden('spec.ephemeralContainers', 'cannot be set on create')];
  if ((spec.nodeName ?? '') === '' || (spec.schedulingGates ?? []).length === 0) return errors;
  return [...errors, forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
}

function validateSystem(name = '', field: string): FieldError[] {
  if (name === '') return [required(`${field}.name`)];
  return SYSTEMS.includes(name) ? [] : [notSupported(field, name, SYSTEMS)];
}

function validateReadinessGates(gates: readonly { conditionType?: string }[], field: string): FieldError[] {
  return gates.flatMap(({ conditionType = '' }, index) =>
    checkQualifiedName(conditionType).map((problem) => invalid(`${field}[${index}].conditionType`, conditionType, problem)),
  );
}

function oneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  if (value === undefined || supported.includes(value)) return [];
  return [value === '' ? required(field) : notSupported(field, value, supported)];
}

function validateDeadline(seconds: number | undefined, field: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_INT_32)) return [];
  return [invalid(field, seconds, `must be between 1 and ${MAX_INT_32}, inclusive`)];
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
