import { invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { badRequest } from '../../../protocols/kube/status.ts';
import type { ApiObject, ResourceRules } from '../resource.ts';
import { checkConfigKey } from '../../../protocols/kube/names.ts';
import { configShape, serviceShape } from '../validation/shapes.ts';

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: { name?: string; port?: number; protocol?: string; targetPort?: number | string }[];
  externalName?: string;
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Services: kept and validated. Nothing allocates cluster addresses or node ports here, and no traffic flows. */
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
        ...(spec.clusterIP === 'None' ? { clusterIPs: spec.clusterIPs ?? ['None'] } : {}),
        ...(ports === undefined ? {} : { ports }),
        type: spec.type ?? 'ClusterIP',
      },
    };
  },
  initialStatus: () => ({ loadBalancer: {} }),
  validate: (object) => {
    const { type = '', clusterIP, ports = [], externalName = '' } = specOf(object);
    const errors: FieldError[] = [];
    if (ports.length === 0 && clusterIP !== 'None' && type !== 'ExternalName') errors.push(required('spec.ports'));
    if (type === 'ExternalName' && externalName === '') errors.push(required('spec.externalName'));
    for (const [index, port] of ports.entries()) {
      if (ports.length > 1 && (port.name ?? '') === '') errors.push(required(`spec.ports[${index}].name`));
    }
    if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
    return errors;
  },
};

function specOf(object: ApiObject): ServiceSpec {
  return object.spec ?? {};
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

/** A byte of a Secret's data that is not of the alphabet is found when the body is decoded. @throws StatusError 400 */
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
    const changed = JSON.stringify([old.data, old.binaryData]) !== JSON.stringify([object.data, object.binaryData]);
    if (object.immutable !== true) {
      errors.push({ reason: 'FieldValueForbidden', field: 'immutable', message: 'Forbidden: field is immutable when `immutable` is set' });
    }
    if (changed) {
      errors.push({ reason: 'FieldValueForbidden', field: 'data', message: 'Forbidden: field is immutable when `immutable` is set' });
    }
  }
  return errors;
}
