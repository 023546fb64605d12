import { FINALIZER, MEDIA } from './draft.ts';
import type { Draft } from './draft.ts';
import { labelsOf, leaves, merged, withoutNulls } from './values.ts';

/** Requests that change an object of a draft. */

const MANAGERS = ['me', 'you'];

export function createOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  if (draft.applies) {
    applyOne(draft, name, kind.create(random, name));
    return;
  }
  const metadata = {
    name,
    labels: draft.labels,
    ...random.pick([{}, {}, { finalizers: [FINALIZER] }, { annotations: { note: 'first' } }]),
  };
  const query = random.pick(['', '', '', '', '?dryRun=All', '?fieldValidation=Strict', '?fieldManager=me']);
  draft.add('create', 'POST', `${draft.collection}${query}`, { body: { ...draft.head, metadata, ...kind.create(random, name) } }, name);
}

export function mergeOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  const body = withVersion(draft, name, kind.change(random));
  const query = random.pick(['', '', '', '', '?dryRun=All', '?fieldValidation=Strict', '?fieldManager=you']);
  draft.add('merge', 'PATCH', `${draft.at(name)}${query}`, { body, contentType: MEDIA.merge }, name);
}

export function strategicOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  const change = kind.strategic !== undefined && random.chance(0.6) ? kind.strategic(random) : kind.change(random);
  draft.add('strategic', 'PATCH', draft.at(name), { body: withVersion(draft, name, change), contentType: MEDIA.strategic }, name);
}

/** The edits of a merge patch as a JSON patch; sometimes with a test first. */
export function jsonOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  const edits: object[] = leaves(kind.change(random))
    // Controllers annotate some kinds: whether annotations exist yet is a race.
    .filter(({ path }) => kind.annotated !== true || !path.startsWith('/metadata/annotations'))
    .map(({ path, value }) => (value === null ? { op: 'remove', path } : { op: random.pick(['add', 'add', 'replace']), path, value }));
  const before = random.pick<object[]>([
    [],
    [],
    [{ op: 'test', path: '/metadata/name', value: random.pick([name, name, 'another']) }],
    [{ op: 'copy', from: '/metadata/name', path: '/metadata/labels/copy' }],
    [{ op: 'add', path: '/metadata/finalizers', value: [FINALIZER, random.pick(['example.com/b', 'bad'])] }],
    [{ op: 'move', from: '/metadata/labels/tier', path: '/metadata/labels/moved' }],
  ]);
  draft.add('json', 'PATCH', draft.at(name), { body: [...before, ...edits], contentType: MEDIA.json }, name);
}

export function applyOne(draft: Draft, name: string, change: object): void {
  const { random, kind } = draft;
  const { metadata = {}, ...rest } = withoutNulls(change) as { metadata?: object };
  const force = random.chance(0.3);
  const content = kind.applied?.(rest) ?? rest;
  const body = { ...draft.head, ...content, metadata: { ...metadata, name, labels: { ...labelsOf(metadata), ...draft.labels } } };
  const query = `?fieldManager=${random.pick(MANAGERS)}${force ? '&force=true' : ''}`;
  draft.add(force ? 'apply-force' : 'apply', 'PATCH', `${draft.at(name)}${query}`, { body, contentType: MEDIA.apply }, name);
}

/** Replaces the object by a changed copy from an answer: the latest, or an earlier one, which is refused. */
export function putOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  // A replacement removes the controller's annotations, if they exist yet, and that raises the generation.
  if (kind.plural === 'deployments') return;
  const known = draft.answersOf(name);
  // Controllers may have changed it meanwhile.
  const unversioned = kind.controlled ? { metadata: { resourceVersion: null } } : {};
  const old = !kind.controlled && known.length > 1 && random.chance(0.75);
  const basis = old ? known[0] : known.at(-1);
  if (basis === undefined) return;
  const body = merged(kind.change(random), random.chance(old ? 0.05 : 0.15) ? { metadata: { resourceVersion: null } } : unversioned);
  draft.add(old ? 'put-stale' : 'put', 'PUT', draft.at(name), { body, basis }, name);
}

export function finalizeOne(draft: Draft, name: string): void {
  const { random } = draft;
  const finalizers = random.pick([null, [], [FINALIZER], [FINALIZER, 'example.com/b'], ['bad']]);
  const [type, body] = random.pick<readonly ['merge' | 'strategic', object]>([
    ['merge', { metadata: { finalizers } }],
    ['strategic', { metadata: { finalizers } }],
    ['strategic', { metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } }],
  ]);
  draft.add('finalizers', 'PATCH', draft.at(name), { body, contentType: MEDIA[type] }, name);
}

/** Sometimes with the resource version from an answer: the latest, or an earlier one. */
function withVersion(draft: Draft, name: string, change: object): object {
  const known = draft.answersOf(name);
  if (draft.kind.controlled || known.length === 0 || !draft.random.chance(0.25)) return change;
  return merged(change, { metadata: { resourceVersion: `<<${draft.random.pick(known)}.metadata.resourceVersion>>` } });
}
