import type { Random } from '../../../../runtime/random.ts';
import { applyOne, createOne, finalizeOne, jsonOne, mergeOne, putOne, strategicOne } from './changes.ts';
import { Draft, MEDIA, PARTIAL, PARTIAL_LIST, TABLE } from './draft.ts';
import { POD_SPEC } from './kinds/pod-spec.ts';
import type { Step } from './script.ts';

/** Requests about two objects of one kind. */
export function sequence(random: Random, id: string, namespace: string): readonly Step[] {
  const draft = new Draft(random, id, namespace);
  // For kinds that controllers also write, the watch would see their events.
  const watches = !draft.kind.controlled && random.chance(0.3);
  if (watches) draft.add('list', 'GET', draft.selected);
  const names = random.chance(0.5) ? [`${id}-a`] : [`${id}-a`, `${id}-b`];
  for (const name of names) createOne(draft, name);
  const more = random.int(2, 6) - (watches ? 1 : 0);
  for (let left = Math.max(1, more); left > 0; left -= 1) addRequest(draft, random.pick(names));
  if (watches) watch(draft);
  return draft.steps;
}

/** Adds a request, usually about one object. */
function addRequest(draft: Draft, name: string): void {
  const { random, kind } = draft;
  const { scaled, status, plural } = kind;
  const times = (count: number, one: () => void): (() => void)[] => Array<() => void>(count).fill(one);
  random.pick([
    ...times(3, () => mergeOne(draft, name)),
    ...times(3, () => strategicOne(draft, name)),
    ...times(3, () => jsonOne(draft, name)),
    ...times(draft.applies ? 8 : 1, () => applyOne(draft, name, random.chance(0.4) ? kind.create(random, name) : kind.change(random))),
    ...times(3, () => putOne(draft, name)),
    ...times(2, () => finalizeOne(draft, name)),
    ...times(2, () => deleteOne(draft, name)),
    () => draft.add('get', 'GET', draft.at(name), { accept: random.pick(['application/json', 'application/json', TABLE, PARTIAL]) }, name),
    () => list(draft),
    () => draft.add('pages', 'GET', `${draft.selected}&limit=1`),
    () => deleteAll(draft),
    ...(status === undefined ? [] : times(3, () => changeStatus(draft, name, status(random)))),
    ...(scaled === true ? times(3, () => scale(draft, name)) : []),
    ...(plural === 'pods' ? times(5, () => bind(draft, name)) : []),
  ])();
}

function deleteOne(draft: Draft, name: string): void {
  const { random, kind } = draft;
  const known = draft.answersOf(name).at(-1);
  const body = random.pick<object | undefined>([
    undefined,
    undefined,
    { propagationPolicy: 'Background' },
    { gracePeriodSeconds: random.pick([0, 5, -1]) },
    { preconditions: { uid: known === undefined ? 'unknown' : `<<${known}.metadata.uid>>` } },
    { preconditions: { uid: 'another' } },
    { dryRun: ['All'] },
    ...(known === undefined || kind.controlled ? [] : [{ preconditions: { resourceVersion: `<<${known}.metadata.resourceVersion>>` } }]),
    { propagationPolicy: 'Sideways' },
  ]);
  draft.add('delete', 'DELETE', draft.at(name), body === undefined ? {} : { body });
}

function deleteAll(draft: Draft): void {
  const body = draft.random.pick<object | undefined>([undefined, undefined, { gracePeriodSeconds: 0 }, { dryRun: ['All'] }]);
  draft.add('delete-all', 'DELETE', draft.selected, body === undefined ? {} : { body });
}

function changeStatus(draft: Draft, name: string, body: object): void {
  const type = draft.kind.custom === true ? 'merge' : draft.random.pick(['merge', 'strategic'] as const);
  draft.add('status', 'PATCH', `${draft.at(name)}/status`, { body, contentType: MEDIA[type] }, name);
}

function scale(draft: Draft, name: string): void {
  const { random, kind } = draft;
  if (random.chance(0.25)) draft.add('scale', 'GET', `${draft.at(name)}/scale`);
  else {
    const body = { spec: { replicas: random.pick(kind.custom === true ? [1, 2, 3, 50, -1] : [0, 0, -1]) } };
    draft.add('scale', 'PATCH', `${draft.at(name)}/scale`, { body, contentType: MEDIA.merge });
  }
}

function bind(draft: Draft, name: string): void {
  const nowhere = `${draft.id}-nowhere`;
  const target = draft.random.pick<object>([{ kind: 'Node', name: nowhere }, { name: nowhere }, { kind: 'Pod', name: 'x' }, { name: '' }]);
  draft.add('bind', 'POST', `${draft.at(name)}/binding`, { body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target } });
}

function list(draft: Draft): void {
  const { random, kind } = draft;
  const query = random.pick([
    '',
    '%2Ctier',
    '%2Ctier%3Da',
    '%2Ctier+notin+(a,b)',
    '%2C!tier',
    `&fieldSelector=metadata.name%3D${draft.id}-a`,
    '&limit=500',
    ...(kind.plural === 'pods' ? ['&fieldSelector=spec.nodeName%3D', '&fieldSelector=status.phase!%3DRunning'] : []),
    ...(kind.custom === true ? [] : ['&fieldSelector=spec.nothing%3D1']),
  ]);
  draft.add('list', 'GET', `${draft.selected}${query}`, {
    accept: random.pick(['application/json', 'application/json', TABLE, PARTIAL_LIST, PARTIAL]),
  });
}

/** Watches from the list at the script's start up to an object created as an end mark. */
function watch(draft: Draft): void {
  const { random, kind } = draft;
  const name = `${draft.id}-end`;
  const body = { ...draft.head, metadata: { name, labels: { ...draft.labels, tier: 'a' } }, ...PLAIN[kind.plural]?.(name) };
  draft.add('create', 'POST', draft.collection, { body });
  const query = random.pick([
    `&resourceVersion=<<0.metadata.resourceVersion>>`,
    `%2Ctier%3Da&resourceVersion=<<0.metadata.resourceVersion>>`,
  ]);
  const accept = random.chance(0.2) ? { accept: PARTIAL } : {};
  draft.add('watch', 'GET', `${draft.selected}${query}&watch=1&timeoutSeconds=20`, { upTo: name, ...accept });
}

/** The minimal object of a kind, if not empty. */
const PLAIN: Readonly<Record<string, (name: string) => object>> = {
  pods: () => ({ spec: POD_SPEC }),
  priorityclasses: () => ({ value: 1 }),
  poddisruptionbudgets: (name) => ({ spec: { selector: { matchLabels: { app: name } } } }),
  services: () => ({ spec: { clusterIP: 'None' } }),
  ...Object.fromEntries(
    ['deployments', 'replicasets', 'statefulsets', 'daemonsets'].map((plural) => [
      plural,
      (name: string) => ({
        spec: {
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec: POD_SPEC },
          ...(plural === 'daemonsets' ? {} : { replicas: 0 }),
          ...(plural === 'statefulsets' ? { serviceName: 'none' } : {}),
        },
      }),
    ]),
  ),
};
