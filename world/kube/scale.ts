import { defined } from '../../model/defined.ts';
import { invalid } from '../../protocols/kube/field-error.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { formatLabelSelector } from '../../protocols/kube/label-selector.ts';
import { badRequest, internalError, invalidObject } from '../../protocols/kube/status.ts';
import type { Registry } from './registry.ts';
import type { Writer } from './writer.ts';
import type { Location, ApiObject, ScalePaths } from './resource.ts';
import type { Version } from './store.ts';

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

/**
 * Replaces an object's scale by the result of `change`.
 * @throws StatusError 400, 404, 409 for another resource version, 422 for a negative number
 */
export function updateScale(
  registry: Registry,
  at: Location,
  paths: ScalePaths,
  writer: Writer,
  change: (current: Scale) => unknown,
): Scale {
  const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const scaled = (object: ApiObject, replicas: unknown): object => withValue(object, paths.specReplicasPath.split('.').slice(1), replicas);
  const view = {
    subresource: 'scale',
    kind,
    of: (one: Version) => ({ ...scaleOf(one, paths) }),
    decode: (patched: JsonObject) => {
      readReplicas(patched);
      const metadata = isJsonObject(patched['metadata']) ? patched['metadata'] : {};
      return { kind: 'Scale', apiVersion: 'autoscaling/v1', ...patched, metadata };
    },
    into: (object: ApiObject, patched: ApiObject) => scaled(object, readReplicas(patched)) as ApiObject,
  };
  const withReplicas = (current: Version): unknown => {
    const sent = change(scaleOf(current, paths));
    if (!isJsonObject(sent)) throw badRequest("the object provided is unrecognized (must be of type Scale): couldn't get version/kind");
    const replicas = readReplicas(sent);
    // Custom resources are validated by their own schema and rules.
    if (replicas < 0 && !at.resource.custom) {
      const error = invalid('spec.replicas', replicas, 'must be greater than or equal to 0');
      throw invalidObject({ group: 'autoscaling', resource: 'Scale' }, at.name, [error]);
    }
    const sentVersion = isJsonObject(sent.metadata) ? sent.metadata.resourceVersion : undefined;
    const resourceVersion = typeof sentVersion === 'string' && sentVersion !== '' ? sentVersion : String(current.revision);
    return { ...scaled(current.object, replicas), metadata: { ...current.object.metadata, resourceVersion } };
  };
  const version = registry.update(at, undefined, writer, withReplicas, view);
  return scaleOf(version, paths);
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
