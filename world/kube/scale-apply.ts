import { formatTime } from '../../model/time.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { isSameManager, writeManagers } from '../../protocols/kube/managers.ts';
import type { Manager } from '../../protocols/kube/managers.ts';
import { builtInShape } from '../../protocols/kube/merge-shape.ts';
import { isTrue } from '../../protocols/kube/request.ts';
import type { KubeOptions } from '../../protocols/kube/request.ts';
import { serverSideApply } from '../../protocols/kube/server-side-apply.ts';
import { StatusError } from '../../protocols/kube/status.ts';
import { builtInSchema } from '../../protocols/kube/typed-schema.ts';
import { readConfiguration } from './apply.ts';
import type { ApplySite } from './apply.ts';
import { checkName } from './identity.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Location, ScalePaths } from './resource.ts';
import { SCALE, updateScale } from './scale.ts';
import type { Scale } from './scale.ts';
import type { Writer } from './writer.ts';

const SCALE_TYPE = 'autoscaling.v1.Scale';
/** Where a scale has its replicas. */
const SCALE_REPLICAS = 'f:spec\nf:replicas';

/**
 * Server-side apply of a configuration of an object's scale: the owners of the object's replicas are those of the scale's, and the other
 * way round (`ScaleHandler` of `k8s.io/apimachinery/pkg/util/managedfields`).
 * @throws StatusError as `applyObject`; 404 if the object does not exist; 500 for a custom object, as in the real server
 */
export function applyScale(
  { registry, ownership, types, nowMs }: ApplySite,
  paths: ScalePaths,
  at: Location,
  options: KubeOptions,
  body: unknown,
  as: Writer,
): Scale {
  const configuration = readConfiguration(SCALE, builtInSchema(SCALE_TYPE, types), body, at.name);
  if (at.resource.custom) {
    registry.get(at);
    const { group, version, kind } = SCALE;
    const why = `request to convert CR to an invalid group/version: ${group}/${version}`;
    const what = `failed to convert live object (/; ${group}/${version}, Kind=${kind}) to proper version`;
    throw new StatusError(500, '', `failed to create manager for existing fields: ${what}: ${why}`);
  }
  const replicas = paths.specReplicasPath
    .split('.')
    .slice(1)
    .map((part) => `f:${part}`)
    .join('\n');
  const change = {
    name: options.fieldManager ?? '',
    operation: 'Apply',
    apiVersion: apiVersionOf(SCALE),
    time: formatTime(nowMs),
    subresource: 'scale',
  } as const;
  const force = options.force !== undefined && isTrue(options.force);
  const site = { registry, paths, writer: { ...as, author: 'nobody' } as const, isApply: true };
  return updateScale(site, at, (current, { object }) => {
    const all = ownership.managersOf(at.resource, object);
    const own = all.filter(({ fields }) => fields.has(replicas));
    const live = {
      object: { ...current },
      managers: own.map((one) => ({ ...one, apiVersion: change.apiVersion, fields: new Set([SCALE_REPLICAS]) })),
    };
    checkName(at, configuration['metadata'] ?? {});
    const { object: applied, managers } = serverSideApply(live, configuration, builtInShape(SCALE_TYPE, types), change, force);
    const owning = managers.filter(({ fields }) => fields.has(SCALE_REPLICAS));
    const kept = all.map((one): Manager => {
      const isOwning = owning.some(
        (other) => other.name === one.name && other.operation === one.operation && other.subresource === one.subresource,
      );
      return isOwning ? one : { ...one, fields: new Set([...one.fields].filter((field) => field !== replicas)) };
    });
    const mine: Manager = { ...change, apiVersion: apiVersionOf(at.resource), fields: new Set([replicas]) };
    const others = kept.filter((one) => !isSameManager(one, mine));
    const managedFields = writeManagers(owning.some((one) => isSameManager(one, change)) ? [...others, mine] : others);
    return { ...applied, metadata: { ...(applied['metadata'] as JsonObject), managedFields } } as unknown as ApiObject;
  });
}
