import type { Container } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsLabel } from '../../../protocols/kube/names.ts';
import { validateVariableSources, validateVariables } from './environment.ts';
import type { Variable, VariableSource } from './environment.ts';
import { validateHandlers } from './handlers.ts';
import type { Handlers } from './handlers.ts';
import { validateMounts } from './mounts.ts';
import type { Mount } from './mounts.ts';
import { validatePortName, validatePortNumber } from './paths.ts';
import { validateResources } from './resources.ts';
import { validateContainerSecurity } from './security.ts';
import type { ContainerSecurity } from './security.ts';

/** A container with the fields that only the API server uses here. */
export interface FullContainer extends Omit<Container, keyof Handlers>, Handlers {
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: 'Always';
  resizePolicy?: { resourceName?: string; restartPolicy?: string }[];
  volumeMounts?: Mount[];
  env?: Variable[];
  envFrom?: VariableSource[];
  securityContext?: ContainerSecurity;
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TERMINATION_POLICIES = ['File', 'FallbackToLogsOnError'];
const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];
const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';

/** What validating a container needs to know of its pod. */
export interface PodFacts {
  /** The names of the volumes that can be mounted. */
  readonly volumes: ReadonlySet<string>;
  readonly graceSeconds: number;
  /** Whether its users are those of the host. */
  readonly hasHostUsers: boolean;
}

/** Validates a pod's containers as `validateContainers` of `pkg/apis/core/validation` does, except devices. */
export function validateContainers(containers: readonly FullContainer[], pod: PodFacts, field: string): FieldError[] {
  if (containers.length === 0) return [required(field)];
  const seen = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const own = validateContainer(container, pod, path);
    if (seen.has(container.name)) own.push(duplicate(`${path}.name`, container.name));
    seen.add(container.name);
    return [...own, ...validateHandlers(container, pod.graceSeconds, path)];
  });
  return [...errors, ...validateHostPorts(containers, field)];
}

/** Validates init containers, among them sidecars (`restartPolicy: Always`), which may have probes. */
export function validateInitContainers(
  containers: readonly FullContainer[],
  regular: readonly FullContainer[],
  pod: PodFacts,
  field: string,
): FieldError[] {
  const seen = new Set(regular.map(({ name }) => name));
  return containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const errors = validateContainer(container, pod, path);
    const { restartPolicy } = container;
    if (seen.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    else if ((container.name ?? '') !== '') seen.add(container.name);
    if (restartPolicy === 'Always') errors.push(...validateHandlers(container, pod.graceSeconds, path));
    errors.push(...validateHostPorts([container], field));
    if (restartPolicy === 'Always') return errors;
    const probes = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
    return [...errors, ...probes.filter((one) => container[one] !== undefined).map((one) => forbidden(`${path}.${one}`, ONLY_SIDECARS))];
  });
}

/** What the real server checks in pods, not in templates (`validateContainersOnlyForPod`). */
export function validateImages(containers: readonly FullContainer[], field: string): FieldError[] {
  return containers.flatMap(({ image = '' }, index) =>
    image === image.trim() ? [] : [invalid(`${field}[${index}].image`, image, 'must not have leading or trailing whitespace')],
  );
}

/** What all kinds of containers have in common. */
export function validateContainer(container: FullContainer, pod: PodFacts, field: string): FieldError[] {
  const { name = '', image = '', imagePullPolicy, resources = {}, securityContext = {}, terminationMessagePolicy } = container;
  const errors = name === '' ? [required(`${field}.name`)] : checkDnsLabel(name).map((problem) => invalid(`${field}.name`, name, problem));
  if (image === '') errors.push(required(`${field}.image`));
  if (terminationMessagePolicy !== undefined && !TERMINATION_POLICIES.includes(terminationMessagePolicy)) {
    errors.push(notSupported(`${field}.terminationMessagePolicy`, terminationMessagePolicy, TERMINATION_POLICIES));
  }
  errors.push(...validatePorts(container.ports ?? [], `${field}.ports`));
  errors.push(
    ...validateVariables(container.env ?? [], `${field}.env`),
    ...validateVariableSources(container.envFrom ?? [], `${field}.envFrom`),
    ...validateMounts(container.volumeMounts ?? [], pod.volumes, securityContext.privileged === true, `${field}.volumeMounts`),
  );
  if (imagePullPolicy !== undefined && !PULL_POLICIES.includes(imagePullPolicy)) {
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES));
  }
  return [
    ...errors,
    ...validateResources(resources, `${field}.resources`),
    ...validateResizePolicies(container.resizePolicy ?? [], `${field}.resizePolicy`),
    ...validateContainerSecurity(securityContext, pod.hasHostUsers, `${field}.securityContext`),
  ];
}

function validatePorts(ports: NonNullable<Container['ports']>, field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `${field}[${index}]`;
    const { containerPort = 0, hostPort = 0, protocol = 'TCP', name = '' } = port as typeof port & { name?: string };
    const errors: FieldError[] = [];
    if (name !== '') errors.push(...validatePortName(name, `${path}.name`));
    if (errors.length === 0 && name !== '' && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (containerPort === 0) errors.push(required(`${path}.containerPort`));
    else errors.push(...validatePortNumber(containerPort, `${path}.containerPort`));
    if (hostPort !== 0) errors.push(...validatePortNumber(hostPort, `${path}.hostPort`));
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    return errors;
  });
}

function validateResizePolicies(policies: NonNullable<FullContainer['resizePolicy']>, field: string): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy = '' }) => {
    const errors = RESIZED.includes(resourceName) ? [] : [notSupported(field, resourceName, RESIZED)];
    if (seen.has(resourceName)) errors.push(duplicate(field, resourceName));
    seen.add(resourceName);
    if (restartPolicy === '') errors.push(required(field));
    else if (!RESIZE_POLICIES.includes(restartPolicy)) errors.push(notSupported(field, restartPolicy, RESIZE_POLICIES));
    return errors;
  });
}

/** A host port of one protocol and address may be used once. */
function validateHostPorts(containers: readonly FullContainer[], field: string): FieldError[] {
  const seen = new Set<string>();
  return containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }, at) => {
      if (hostPort === 0) return [];
      const id = `${protocol}/${hostIP}/${hostPort}`;
      if (seen.has(id)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, id)];
      seen.add(id);
      return [];
    }),
  );
}
