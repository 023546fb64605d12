import type { Discovery, KubeClient, ResourceType } from '../../../clients/kube-client.ts';
import { KubeError } from '../../../clients/kube-client.ts';
import { RESOURCES } from '../../../clients/resources.ts';
import { defined } from '../../../model/defined.ts';
import type { KubeObject } from '../../../model/kube.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { resourceOfPlural } from '../resources.ts';
import type { Owner } from './owner.ts';
import { KINDS_OF_TRIALS } from './sole-tenant.ts';

/** Deleted first: if their backend is gone, nothing else could be deleted. */
const WEBHOOK_TYPES: readonly string[] = [
  'validatingwebhookconfigurations',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicybindings',
  'validatingadmissionpolicies',
];
/** Not deleted with the others: definitions are deleted once nobody has objects of theirs, and the server drops events after an hour. */
const DELETED_SEPARATELY: readonly string[] = ['customresourcedefinitions', 'events'];

/** How long an object without finalizers may take to go: a namespace is emptied by a controller that may be busy. */
const GONE_LIMIT_MS = 60_000;
/** How often it checks whether everything is gone. */
const POLL_PERIOD_MS = 250;

/** How a run's objects are removed. */
export interface Cleaning {
  readonly client: KubeClient & Discovery;
  readonly clock: Clock;
  readonly owner: Owner;
  /** How long to wait for finalizers: their owners may want to do something first. */
  readonly timeoutMs: number;
  /** Whether finalizers are removed afterwards: their owners are gone, and what they guard belonged to the run. */
  readonly removeFinalizers: boolean;
  /** Whether the run continues: then its namespace and definitions stay. */
  readonly runContinues: boolean;
}

/**
 * Removes the owner's objects, one by one, each by its uid: nothing else, and never a whole kind. With labels, all served kinds
 * are searched; without, only the kinds that trials use. An owner's CustomResourceDefinitions are deleted once nobody has
 * objects of theirs.
 * @returns what still exists, as `nodes/NAME`
 */
export async function cleanUp(cleaning: Cleaning): Promise<string[]> {
  const { clock, timeoutMs, removeFinalizers } = cleaning;
  const deadlineMs = clock.nowMs() + timeoutMs;
  const types = await typesOf(cleaning);
  let left = await deleteAll(cleaning, types);
  // Kinds without leftovers stay empty, except those that trials use, whose objects create each other.
  const again = types.filter((type) => isKnown(type) || left.some((found) => found.type === type));
  while (left.length > 0 && clock.nowMs() < deadlineMs) {
    await clock.sleep(POLL_PERIOD_MS);
    left = await deleteAll(cleaning, again);
  }
  if (left.length > 0 && removeFinalizers) {
    for (const { type, object } of left) await stripFinalizers(cleaning, type, object);
    left = await deleteAll(cleaning, again);
    for (
      const goneByMs = clock.nowMs() + GONE_LIMIT_MS;
      left.length > 0 && clock.nowMs() < goneByMs;
      left = await deleteAll(cleaning, again)
    )
      await clock.sleep(POLL_PERIOD_MS);
  }
  if (!cleaning.runContinues) await removeDefinitions(cleaning);
  return left.map(nameOf);
}

/** The owner's objects, as `nodes/NAME`: nothing is changed. */
export async function listOwned(site: Pick<Cleaning, 'client' | 'owner'>): Promise<string[]> {
  const owned: Found[] = [];
  for (const type of await typesOf(site)) for (const object of await listOwn(site, type)) owned.push({ type, object });
  return owned.map(nameOf);
}

interface Found {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

function nameOf({ type, object: { metadata } }: Found): string {
  return [type.plural, metadata.namespace, metadata.name].filter(Boolean).join('/');
}

/** The kinds to search, in the order of deletion: those that no trial creates come after the rest, and namespaces last. */
async function typesOf({ client, owner }: Pick<Cleaning, 'client' | 'owner'>): Promise<ResourceType[]> {
  const served = Object.keys(owner.labels).length === 0 ? [] : await client.served();
  const known = KINDS_OF_TRIALS.flatMap((plural) => {
    const type = resourceOfPlural(plural);
    return served.find((one) => isSame(one, type)) ?? type ?? [];
  });
  const more = served.filter((type) => !isKnown(type) && !isSame(type, RESOURCES.namespaces) && !DELETED_SEPARATELY.includes(type.plural));
  const isWebhook = ({ plural }: ResourceType): boolean => WEBHOOK_TYPES.includes(plural);
  return [...more.filter(isWebhook), ...known, ...more.filter((type) => !isWebhook(type)), RESOURCES.namespaces];
}

function isKnown(type: ResourceType): boolean {
  return KINDS_OF_TRIALS.some((plural) => isSame(type, resourceOfPlural(plural)));
}

function isSame({ group, plural }: ResourceType, other: ResourceType | undefined): boolean {
  return group === other?.group && plural === other.plural;
}

async function deleteAll(cleaning: Cleaning, types: readonly ResourceType[]): Promise<Found[]> {
  const { client, owner, runContinues } = cleaning;
  const left: Found[] = [];
  for (const type of types) {
    const { plural } = type;
    for (const object of await listOwn(cleaning, type)) {
      if (runContinues && plural === 'namespaces' && object.metadata.name === owner.namespace) continue;
      left.push({ type, object });
      if (object.metadata.deletionTimestamp !== undefined && plural !== 'pods') continue;
      const { uid } = object.metadata;
      await ignoring([404, 409], () =>
        client.delete(refOf(type, object), {
          ...defined({ uid }),
          ...(plural === 'pods' ? { gracePeriodSeconds: 0 } : {}),
        }),
      );
    }
  }
  return left;
}

async function stripFinalizers({ client }: Cleaning, type: ResourceType, object: KubeObject): Promise<void> {
  if ((object.metadata.finalizers ?? []).length === 0) return;
  await ignoring([404, 409], () => client.patch(refOf(type, object), { metadata: { finalizers: null } }));
}

async function removeDefinitions(cleaning: Cleaning): Promise<void> {
  const { client } = cleaning;
  for (const definition of await listOwn(cleaning, RESOURCES.customresourcedefinitions)) {
    const type = typeOf(definition);
    if (type === undefined || (await listAll(client, type)).length > 0) continue;
    await ignoring([404, 409], () => client.delete(refOf(RESOURCES.customresourcedefinitions, definition)));
  }
}

/** The resource that a definition defines. */
function typeOf(definition: KubeObject): ResourceType | undefined {
  const { spec } = definition as {
    spec?: { group: string; scope: string; names: { plural: string; kind: string }; versions: { name: string; served: boolean }[] };
  };
  const version = spec?.versions.find(({ served }) => served);
  if (spec === undefined || version === undefined) return undefined;
  return { group: spec.group, version: version.name, ...spec.names, namespaced: spec.scope === 'Namespaced' };
}

function refOf(type: ResourceType, { metadata: { namespace, name = '' } }: KubeObject): Parameters<KubeClient['delete']>[0] {
  return { type, name, ...defined({ namespace }) };
}

async function listOwn({ client, owner }: Pick<Cleaning, 'client' | 'owner'>, type: ResourceType): Promise<KubeObject[]> {
  const objects = await listAll(
    client,
    type,
    Object.keys(owner.labels).length === 0 ? {} : { labels: { matchLabels: { ...owner.labels } } },
  );
  // A server that ignores selectors must not cause others' objects to be deleted.
  return objects.filter((object) => owner.owns(object, type.plural));
}

/** Empty if the kind is not served: 404; 405 from an aggregated server that can't list; 503 if that server is gone. */
async function listAll(client: KubeClient, type: ResourceType, options: Parameters<KubeClient['list']>[1] = {}): Promise<KubeObject[]> {
  try {
    return await client.list<KubeObject>(type, options);
  } catch (error) {
    const unserved = isKnown(type) ? [404] : [404, 405, 503];
    if (error instanceof KubeError && unserved.includes(error.status)) return [];
    throw error;
  }
}

async function ignoring(statuses: readonly number[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KubeError) || !statuses.includes(error.status)) throw error;
  }
}
