import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../../model/defined.ts';
import { duplicate, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { badRequest, internalError, invalidObject } from '../../../protocols/kube/status.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { checkConfigKey, checkDnsLabel } from '../../../protocols/kube/names.ts';
import { freeAddress, freeNodePort } from './service-addresses.ts';
import { validateKeptAddress, validateServiceFields } from './service-fields.ts';
import type { ServiceAddresses } from './service-fields.ts';
import { validatePortNumber } from '../validation/paths.ts';
import { configShape, serviceShape } from '../validation/shapes.ts';

interface ServicePort {
  name?: string;
  port?: number;
  protocol?: string;
  nodePort?: number;
  targetPort?: number | string;
}

interface ServiceSpec extends ServiceAddresses {
  ports?: ServicePort[];
  selector?: Record<string, string>;
  externalName?: string;
  externalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  sessionAffinityConfig?: object;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
/** `SetDefaults_Service`: three hours. */
const AFFINITY_CONFIG = { clientIP: { timeoutSeconds: 10_800 } };
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Services: stored, validated, and given addresses and node ports; no traffic flows. */
export const serviceRules: ResourceRules = {
  shape: serviceShape,
  defaults: (object) => {
    const spec = specOf(object);
    const ports = spec.ports?.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP', targetPort: port.targetPort ?? port.port }));
    return {
      ...object,
      spec: {
        sessionAffinity: 'None',
        ...(spec.type === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' }),
        ...spec,
        ...(spec.sessionAffinity === 'ClientIP' ? { sessionAffinityConfig: spec.sessionAffinityConfig ?? AFFINITY_CONFIG } : {}),
        ...(spec.clusterIP === 'None' ? { clusterIPs: spec.clusterIPs ?? ['None'] } : {}),
        ...defined({ ports }),
        type: spec.type ?? 'ClusterIP',
      },
    };
  },
  /**
   * Gives it what it has not set: a cluster IP of the cluster's family, IPv4, and ports on the nodes
   * (`pkg/registry/core/service/storage/alloc.go`). A Service without a cluster IP still gets an IP family.
   */
  admit: (object, admission, old) => {
    const spec: ServiceSpec = { ...addressesOf(old, object), ...specOf(object) };
    if (spec.type === 'ExternalName') return object;
    if (spec.clusterIP !== 'None') {
      const others = admission.list('services').filter(({ metadata }) => !isSame(metadata, object.metadata));
      return { ...object, spec: withNodePorts(withAddress(spec, object, others), object, others) };
    }
    // Without a selector the addresses of the endpoints are unknown, so both families are set.
    const isFree = Object.keys(spec.selector ?? {}).length === 0;
    const ipFamilyPolicy = spec.ipFamilyPolicy ?? (isFree ? 'RequireDualStack' : 'SingleStack');
    const ipFamilies = spec.ipFamilies ?? (isFree && ipFamilyPolicy !== 'SingleStack' ? ['IPv4', 'IPv6'] : ['IPv4']);
    return { ...object, spec: { ...spec, ipFamilies, ipFamilyPolicy } };
  },
  initialStatus: () => ({ loadBalancer: {} }),
  validate: (object) => {
    const { type = '', clusterIP, ports = [], externalName = '' } = specOf(object);
    const errors: FieldError[] = [];
    if (ports.length === 0 && clusterIP !== 'None' && type !== 'ExternalName') errors.push(required('spec.ports'));
    if (type === 'ExternalName' && externalName === '') errors.push(required('spec.externalName'));
    for (const index of ports.keys()) errors.push(...validatePort(ports, index));
    if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
    errors.push(...validateServiceFields(specOf(object)), ...validateDistinctPorts(ports));
    return errors;
  },
  validateUpdate: (object, old) => validateKeptAddress(specOf(object), specOf(old)),
};

function isSame(one: ApiObject['metadata'], other: ApiObject['metadata']): boolean {
  return one.name === other.name && one.namespace === other.namespace;
}

function withAddress(spec: ServiceSpec, { metadata }: ApiObject, others: readonly ApiObject[]): ServiceSpec {
  const taken = new Set(others.map((one) => specOf(one).clusterIP));
  const sent = spec.clusterIP ?? '';
  if (sent !== '' && taken.has(sent)) {
    const why = `failed to allocate IP ${sent}: provided IP is already allocated`;
    throw invalidObject({ group: '', resource: 'Service' }, metadata.name ?? '', [invalid('spec.clusterIPs', [sent], why)]);
  }
  const clusterIP = sent === '' ? freeAddress(`${metadata.namespace}/${metadata.name}`, (address) => taken.has(address)) : sent;
  if (clusterIP === undefined) throw internalError('failed to allocate a serviceIP: range is full');
  return {
    ...spec,
    clusterIP,
    clusterIPs: spec.clusterIPs ?? [clusterIP],
    ipFamilies: spec.ipFamilies ?? ['IPv4'],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? 'SingleStack',
  };
}

/** Services that are reached from outside get a port on all nodes for each of their ports. */
function withNodePorts(spec: ServiceSpec, { metadata }: ApiObject, others: readonly ApiObject[]): ServiceSpec {
  const { type, ports = [], allocateLoadBalancerNodePorts: allocates = true } = spec;
  if (type !== 'NodePort' && (type !== 'LoadBalancer' || !allocates)) return spec;
  const taken = new Set([...others.flatMap((one) => specOf(one).ports ?? []), ...ports].flatMap(({ nodePort }) => nodePort ?? []));
  return {
    ...spec,
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: allocates } : {}),
    externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster',
    ports: ports.map((port) => {
      const nodePort =
        port.nodePort ?? freeNodePort(`${metadata.namespace}/${metadata.name}/${port.name ?? ''}/${port.port}`, (one) => taken.has(one));
      if (nodePort === undefined) throw internalError('failed to allocate a nodePort: range is full');
      taken.add(nodePort);
      return { ...port, nodePort };
    }),
  };
}

function specOf(object: ApiObject): ServiceSpec {
  return object.spec ?? {};
}

/** The addresses and the policy that an update without any keeps (`patchAllocatedValues`, `initIPFamilyFields`). */
function addressesOf(old: ApiObject | undefined, object: ApiObject): ServiceSpec {
  if (old === undefined || [old, object].some((one) => specOf(one).type === 'ExternalName')) return {};
  const { clusterIP, clusterIPs, ipFamilyPolicy } = specOf(old);
  return defined({ clusterIP, clusterIPs, ipFamilyPolicy });
}

/** `validateServicePort`, except the names of target ports. */
function validatePort(ports: readonly ServicePort[], index: number): FieldError[] {
  const { name = '', port = 0, protocol = '', targetPort = 0 } = ports[index] ?? {};
  const field = `spec.ports[${index}]`;
  const isTaken = ports.slice(0, index).some((other) => other.name === name);
  return [
    ...(name === '' && ports.length > 1 ? [required(`${field}.name`)] : []),
    ...(name === '' ? [] : checkDnsLabel(name).map((problem) => invalid(`${field}.name`, name, problem))),
    ...(name !== '' && isTaken ? [duplicate(`${field}.name`, name)] : []),
    ...validatePortNumber(port, `${field}.port`),
    ...(PROTOCOLS.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, PROTOCOLS)]),
    ...(typeof targetPort === 'number' ? validatePortNumber(targetPort, `${field}.targetPort`) : []),
  ];
}

/** The ports of one protocol must be distinct. The message shows the real server's internal type. */
function validateDistinctPorts(ports: readonly ServicePort[]): FieldError[] {
  return ports.flatMap(({ port: Port = 0, protocol: Protocol = '' }, index) => {
    const isTaken = ports.slice(0, index).some((other) => other.port === Port && other.protocol === Protocol);
    const shown = { Name: '', Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 };
    return isTaken ? [duplicate(`spec.ports[${index}]`, shown)] : [];
  });
}

const MAX_DATA_BYTES = 1024 * 1024;

/** ConfigMaps, and Secrets whose `stringData` becomes data. */
export const configMapRules: ResourceRules = { shape: configShape, validate: validateData };

export const secretRules: ResourceRules = {
  shape: configShape,
  defaults: (object) => {
    const { stringData, ...rest } = object as ApiObject & { stringData?: Record<string, string> };
    const plain = Object.entries(stringData ?? {}).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
    const data = { ...(object.data as object | undefined), ...Object.fromEntries(plain) };
    for (const value of Object.values(data)) checkBase64(value);
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type: object.type ?? 'Opaque' };
  },
  validate: (object, old) => {
    const changed = old !== undefined && old.type !== object.type;
    return [...(changed ? [invalid('type', object.type, 'field is immutable')] : []), ...validateData(object, old)];
  },
  fields: { type: (object) => object.type as string | undefined },
};

/** Malformed base64 in a Secret's data is detected when the body is decoded. @throws StatusError 400 */
function checkBase64(value: unknown): void {
  const illegal = typeof value === 'string' ? value.search(/[^A-Za-z0-9+/=\r\n]/) : -1;
  if (illegal < 0) return;
  throw badRequest(`Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte ${illegal}`);
}

function validateData(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const { data = {}, binaryData = {} } = object as { data?: Record<string, string>; binaryData?: Record<string, string> };
  const bytes = [...Object.values(data), ...Object.values(binaryData)].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  const errors: FieldError[] = [...validateImmutable(object, old)];
  for (const [field, values] of Object.entries({ data, binaryData })) {
    for (const key of Object.keys(values)) {
      errors.push(...checkConfigKey(key).map((problem) => invalid(`${field}[${key}]`, key, problem)));
      if (field === 'data' && Object.hasOwn(binaryData, key))
        errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
  }
  if (bytes > MAX_DATA_BYTES) {
    errors.push({ reason: 'FieldValueTooLong', field: '', message: `Too long: may not be more than ${MAX_DATA_BYTES} bytes` });
  }
  return errors;
}

function validateImmutable(object: ApiObject, old: ApiObject | undefined): FieldError[] {
  const errors: FieldError[] = [];
  if (old?.immutable === true) {
    if (object.immutable !== true) {
      errors.push({ reason: 'FieldValueForbidden', field: 'immutable', message: 'Forbidden: field is immutable when `immutable` is set' });
    }
    for (const field of ['data', 'binaryData']) {
      if (isDeepStrictEqual(old[field], object[field])) continue;
      errors.push({ reason: 'FieldValueForbidden', field, message: 'Forbidden: field is immutable when `immutable` is set' });
    }
  }
  return errors;
}
