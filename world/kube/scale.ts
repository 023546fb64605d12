import { defined } from '../../model/defined.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { formatLabelSelector } from '../../protocols/kube/label-selector.ts';
import { badRequest, conflict, internalError, invalidObject } from '../../protocols/kube/status.ts';
import { checkName } from './identity.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, BodyType, Location, Resource, ScalePaths } from './resource.ts';
import type { Version } from './store.ts';
import { otherUid } from './uids.ts';
import { validateMeta } from './validation/meta.ts';

/** The type of every resource's scale. */
export const SCALE = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  custom: false,
  nameRule: 'subdomain',
  rules: {},
} as const satisfies BodyType & Pick<Resource, 'nameRule'>;

/** An autoscaling/v1 Scale: the desired replicas of a workload of any kind. */
export interface Scale {
  readonly kind: 'Scale';
  readonly apiVersion: 'autoscaling/v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/** The scale subresource of an object. @throws StatusError 404, 500 for a custom object without replicas */
export function readScale(registry: Registry, at: Location, paths: ScalePaths): Scale {
  const version = registry.get(at);
  const { specReplicasPath } = paths;
  if (at.resource.custom && valueAt(version.object, specReplicasPath) === undefined) {
    throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
  }
  return scaleOf(version, paths);
}

/** Where a scale is written. */
export interface ScaleSite {
  readonly registry: Registry;
  readonly paths: ScalePaths;
  readonly writer: Writer;
  /** Whether the managed fields of a changed scale are those of the whole object. */
  readonly isApply?: boolean;
}

/**
 * Replaces an object's scale by a body.
 * @throws StatusError 400, 404, 409 for another uid or resource version, 422 for a scale that is not valid
 */
export function putScale(site: ScaleSite, at: Location, body: unknown): Scale {
  const sent = scaleObject(body);
  checkName(at, sent.metadata);
  return updateScale(site, at, (_current, { object }) => {
    const { uid = '' } = sent.metadata;
    if (uid !== '' && uid !== object.metadata.uid) throw otherUid(at, uid, object.metadata.uid ?? '');
    return sent;
  });
}

/** Replaces an object's scale by the result of a patch. @throws the same */
export function patchScale(site: ScaleSite, at: Location, patch: (current: Scale) => unknown): Scale {
  return updateScale(site, at, (current) => {
    const sent = scaleObject(patch(current));
    checkName(at, sent.metadata);
    return sent;
  });
}

export function updateScale(
  { registry, paths, writer, isApply = false }: ScaleSite,
  at: Location,
  change: (current: Scale, version: Version) => ApiObject,
): Scale {
  const { resource, name, namespace } = at;
  const { group, kind } = SCALE;
  const scaled = (object: ApiObject, replicas: unknown): object => withValue(object, paths.specReplicasPath.split('.').slice(1), replicas);
  const view = {
    subresource: 'scale',
    type: SCALE,
    of: (one: Version) => ({ ...scaleOf(one, paths) }),
    decode: (patched: JsonObject) => {
      readReplicas(patched);
      return scaleObject(patched);
    },
    into: (object: ApiObject, patched: ApiObject) => scaled(object, readReplicas(patched)) as ApiObject,
  };
  const withReplicas = (current: Version): unknown => {
    const hasReplicas = valueAt(current.object, paths.specReplicasPath) !== undefined;
    const shown = scaleOf(current, paths);
    const sent = change(hasReplicas ? shown : { ...shown, spec: { replicas: NO_REPLICAS } }, current);
    const replicas = readReplicas(sent);
    const { metadata } = sent;
    // Custom resources are validated by their own schema and rules.
    if (resource.custom) {
      if (replicas === NO_REPLICAS) throw badRequest(`the spec replicas field ${JSON.stringify(paths.specReplicasPath)} cannot be empty`);
    } else {
      const negative = replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
      const errors = [...validateMeta(SCALE, metadata, namespace), ...negative];
      if (errors.length > 0) throw invalidObject({ group, resource: kind }, name, errors);
      checkUid(at, metadata.uid, current.object.metadata.uid);
    }
    const { resourceVersion: sentVersion = '' } = metadata;
    const resourceVersion = sentVersion === '' ? String(current.revision) : sentVersion;
    const { managedFields } = metadata as JsonObject;
    const managed = isApply ? { managedFields } : {};
    return { ...scaled(current.object, replicas), metadata: { ...current.object.metadata, resourceVersion, ...managed } };
  };
  const version = registry.update(at, undefined, writer, withReplicas, view);
  return scaleOf(version, paths);
}

/** The replicas of a custom object without any: the smallest number, which no client sends by accident. */
const NO_REPLICAS = -2_147_483_648;

/** @throws StatusError 400 if it is no object */
function scaleObject(sent: unknown): ApiObject {
  if (!isJsonObject(sent)) throw badRequest("the object provided is unrecognized (must be of type Scale): couldn't get version/kind");
  const metadata = isJsonObject(sent['metadata']) ? sent['metadata'] : {};
  return { kind: SCALE.kind, apiVersion: apiVersionOf(SCALE), ...sent, metadata };
}

/** @throws StatusError 409 */
function checkUid({ resource: { group, plural }, name }: Location, sent = '', uid = ''): void {
  if (sent === '' || sent === uid) return;
  throw conflict(
    { group, resource: `${plural}/scale` },
    name,
    `Precondition failed: UID in precondition: ${sent}, UID in object meta: ${uid}`,
  );
}

/** @throws StatusError 400 */
function readReplicas({ spec }: Readonly<Record<string, unknown>>): number {
  const { replicas = 0 } = isJsonObject(spec) ? spec : {};
  if (typeof replicas === 'number' && Number.isInteger(replicas)) return replicas;
  throw badRequest('Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal into field spec.replicas');
}

function scaleOf({ object, revision }: Version, { specReplicasPath, statusReplicasPath, labelSelectorPath }: ScalePaths): Scale {
  const { name, namespace, uid, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, specReplicasPath);
  const present = valueAt(object, statusReplicasPath);
  const selector = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
  const text = typeof selector === 'string' ? selector : isJsonObject(selector) ? formatLabelSelector(selector) : '';
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...defined({ namespace }), uid, resourceVersion: String(revision), creationTimestamp },
    // Zero is omitted, as in Go.
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: typeof present === 'number' ? present : 0, ...(text === '' ? {} : { selector: text }) },
  };
}

/** The value at a simple path such as `.spec.replicas`. */
function valueAt(object: ApiObject, path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce((value: unknown, key) => (isJsonObject(value) ? value[key] : undefined), object);
}

function withValue(object: Readonly<Record<string, unknown>>, [key = '', ...rest]: readonly string[], value: unknown): object {
  const below = object[key];
  return { ...object, [key]: rest.length === 0 ? value : withValue(isJsonObject(below) ? below : {}, rest, value) };
}
