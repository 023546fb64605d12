import { createKubeClient } from '../clients/kube.ts';
import { KubeError } from '../clients/kube-client.ts';
import type { KubeClient, ResourceType } from '../clients/kube-client.ts';
import { RESOURCES } from '../clients/resources.ts';
import type { EventOf } from '../history/events.ts';
import { defined } from '../model/defined.ts';
import type { KubeObject } from '../model/kube.ts';
import { isJsonObject } from '../protocols/kube/json.ts';
import type { TargetSite } from '../targets/target.ts';

/** A CustomResourceDefinition, as far as it says where its objects are. */
interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

interface Stored {
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** Why the definitions would refuse it; absent if it is valid. */
  readonly refusal?: string;
}

/** Objects of custom resources by uid, as the API server shows them. */
export type StoredObjects = ReadonlyMap<string, Stored>;

/**
 * The objects of these custom resources that are neither being deleted nor about to be collected with their owners, in the version in which they are stored. Each is created again in a dry run,
 * so that the API server validates all of it: of an update it would leave out what is unchanged. Statuses are not validated.
 * @param resources plural names
 */
export async function storedObjects({ kube, runtime }: TargetSite, resources: readonly string[]): Promise<StoredObjects> {
  const client = createKubeClient({ wire: kube, clock: runtime.clock });
  const dryRun = createKubeClient({
    wire: (request) => kube({ ...request, path: `${request.path}?dryRun=All` }),
    clock: runtime.clock,
  });
  const found = new Map<string, Stored>();
  const kinds = new Set<string>();
  for (const { spec } of await client.list<Definition>(RESOURCES.customresourcedefinitions)) {
    const { group, scope, names, versions } = spec;
    if (!resources.includes(names.plural)) continue;
    const version = versions.find(({ storage }) => storage)?.name ?? '';
    kinds.add(`${group}/${names.kind}`);
    const type = { group, version, plural: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' };
    for (const object of await client.list<KubeObject>(type)) {
      const { uid, deletionTimestamp } = object.metadata;
      if (uid === undefined || deletionTimestamp !== undefined) continue;
      found.set(uid, { type, object, ...defined({ refusal: await refusalOf(dryRun, type, object) }) });
    }
  }
  const isOrphaned = ({ metadata: { ownerReferences = [] } }: KubeObject): boolean =>
    ownerReferences.length > 0 &&
    ownerReferences.every(({ apiVersion, kind, uid }) => kinds.has(`${apiVersion.split('/', 1)[0]}/${kind}`) && !found.has(uid));
  return new Map([...found].filter(([, { object }]) => !isOrphaned(object)));
}

/** @throws KubeError if it is refused, but not as invalid */
async function refusalOf(dryRun: KubeClient, type: ResourceType, object: KubeObject): Promise<string | undefined> {
  const { labels, annotations, namespace } = object.metadata;
  const { status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  const metadata = { generateName: 'upgraded-', ...defined({ namespace, labels, annotations }) };
  try {
    await dryRun.create(type, { ...rest, metadata });
    return undefined;
  } catch (error) {
    if (error instanceof KubeError && error.status === INVALID) return error.message;
    throw error;
  }
}

/**
 * What became of stored objects in an upgrade: those that were valid before and no longer are, those that have lost something, and those that are gone or
 * being deleted, whoever asked for it. Metadata is not compared, since autoscalers keep annotations of their own there.
 * @param before what was stored before the upgrade
 * @param after what is stored after it
 * @param isComparable whether nobody else has changed objects meanwhile, so that they can be compared
 */
export function upgradedObjects(
  before: StoredObjects,
  after: StoredObjects,
  isComparable: boolean,
): Omit<EventOf<'upgrade'>, 'i' | 't' | 'type'> {
  const invalid = [...after].flatMap(([uid, { type, object, refusal }]) =>
    refusal === undefined || before.get(uid)?.refusal !== undefined ? [] : [{ object: idOf(type, object), why: refusal }],
  );
  const comparable = [...(isComparable ? before : [])];
  const altered = comparable.flatMap(([uid, { type, object }]) => {
    const is = after.get(uid)?.object;
    const why = is && lostAt(contentOf(object), contentOf(is), '');
    return why === undefined ? [] : [{ object: idOf(type, object), why }];
  });
  const gone = comparable.flatMap(([uid, { type, object }]) => (after.has(uid) ? [] : [idOf(type, object)]));
  return { objects: after.size, invalid, altered, gone };
}

/** The status of an answer that refuses an invalid object. */
const INVALID = 422;

function idOf({ plural }: ResourceType, { metadata }: KubeObject): string {
  return [plural, metadata.namespace, metadata.name].filter((part) => part !== undefined).join('/');
}

/** What a user may write of it. The version in which it is stored may change. */
function contentOf(object: KubeObject): unknown {
  const { apiVersion: _version, metadata: _metadata, status: _status, ...content } = object as KubeObject & { readonly status?: unknown };
  return content;
}

/** The path of the first value that is gone or another one; undefined if all are there. What was added is no loss: new fields get defaults. */
function lostAt(was: unknown, is: unknown, path: string): string | undefined {
  if (Array.isArray(was))
    return Array.isArray(is) && is.length === was.length
      ? was.map((one, index) => lostAt(one, is[index], `${path}[${index}]`)).find((lost) => lost !== undefined)
      : path;
  if (isJsonObject(was))
    return isJsonObject(is)
      ? Object.entries(was)
          .map(([name, value]) => lostAt(value, is[name], path === '' ? name : `${path}.${name}`))
          .find((lost) => lost !== undefined)
      : path;
  return was === is ? undefined : path;
}
