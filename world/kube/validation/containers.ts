import type { Container } from '../../../model/kube.ts';
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsLabel } from '../../../protocols/kube/names.ts';
import { validateResources } from './resources.ts';

/** A container with the fields that only the API server uses here. */
export interface FullContainer extends Container {
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: 'Always';
  resizePolicy?: object[];
  volumeMounts?: { name?: string; mountPath?: string; subPath?: string; subPathExpr?: string }[];
  env?: { name?: string; value?: string; valueFrom?: object }[];
  lifecycle?: Record<string, { httpGet?: object }>;
  livenessProbe?: object;
  readinessProbe?: object;
  startupProbe?: object;
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PORT_RANGE = 'must be between 1 and 65535, inclusive';
const ONLY_SIDECARS = 'may not be set for init containers without restartPolicy=Always';

/** Validates a pod's containers as `validateContainers` of `pkg/apis/core/validation` does, except probes, environment and devices. */
export function validateContainers(containers: readonly FullContainer[], volumes: ReadonlySet<string>, field: string): FieldError[] {
  if (containers.length === 0) return [required(field)];
  const seen = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const own = validateContainer(container, volumes, path);
    if (seen.has(container.name)) own.push(duplicate(`${path}.name`, container.name));
    seen.add(container.name);
    return own;
  });
  return [...errors, ...validateHostPorts(containers, field)];
}

/** Validates init containers, among them sidecars (`restartPolicy: Always`), which may have probes. */
export function validateInitContainers(
  containers: readonly FullContainer[],
  regular: readonly FullContainer[],
  volumes: ReadonlySet<string>,
  field: string,
): FieldError[] {
  const seen = new Set(regular.map(({ name }) => name));
  return containers.flatMap((container, index) => {
    const path = `${field}[${index}]`;
    const errors = validateContainer(container, volumes, path);
    const { restartPolicy } = container;
    if (seen.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    else if ((container.name ?? '') !== '') seen.add(container.name);
    errors.push(...validateHostPorts([container], field));
    if (restartPolicy === 'Always') return errors;
    const probes = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
    return [...errors, ...probes.filter((one) => container[one] !== undefined).map((one) => forbidden(`${path}.${one}`, ONLY_SIDECARS))];
  });
}

/** What all kinds of containers have in common. */
export function validateContainer(container: FullContainer, volumes: ReadonlySet<string>, field: string): FieldError[] {
  const { name = '', image = '', imagePullPolicy, resources = {}, volumeMounts = [] } = container;
  const errors = name === '' ? [required(`${field}.name`)] : checkDnsLabel(name).map((problem) => invalid(`${field}.name`, name, problem));
  if (image === '') errors.push(required(`${field}.image`));
  errors.push(...validatePorts(container.ports ?? [], `${field}.ports`));
  for (const [index, mount] of volumeMounts.entries()) {
    const path = `${field}.volumeMounts[${index}]`;
    const volume = mount.name ?? '';
    if (volume === '') errors.push(required(`${path}.name`));
    if (!volumes.has(volume)) {
      errors.push(notFound(`${path}.name`, volume));
    }
    if ((mount.mountPath ?? '') === '') errors.push(required(`${path}.mountPath`));
  }
  if (imagePullPolicy !== undefined && !PULL_POLICIES.includes(imagePullPolicy)) {
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES));
  }
  return [...errors, ...validateResources(resources, `${field}.resources`)];
}

function validatePorts(ports: NonNullable<Container['ports']>, field: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `${field}[${index}]`;
    const { containerPort = 0, hostPort = 0, protocol = 'TCP', name = '' } = port as typeof port & { name?: string };
    const errors: FieldError[] = [];
    if (name !== '' && names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    if (containerPort === 0) errors.push(required(`${path}.containerPort`));
    else if (!isPort(containerPort)) errors.push(invalid(`${path}.containerPort`, containerPort, PORT_RANGE));
    if (hostPort !== 0 && !isPort(hostPort)) errors.push(invalid(`${path}.hostPort`, hostPort, PORT_RANGE));
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${path}.protocol`, protocol, PROTOCOLS));
    return errors;
  });
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
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
