import { createRandom } from '../../../../runtime/random.ts';
import type { Random } from '../../../../runtime/random.ts';
import { KINDS, POD_SPEC, collectionOf } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { CASE_LABEL, NAMESPACES } from './script.ts';
import type { Operation, Script, Step } from './script.ts';

/** The seed of the recorded scripts: another one is another set. */
export const SEED = 'api-1';
export const SCRIPTS = 1_800;

/** The scripts of a seed. */
export function scripts(seed: string = SEED, count: number = SCRIPTS): Script[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => script(random.fork(String(index)), index));
}

function script(random: Random, index: number): Script {
  const id = `r${index}`;
  const namespace = NAMESPACES[index % NAMESPACES.length] ?? 'default';
  // Every seventh is about evictions, which need a budget and pods.
  return { id, steps: index % 7 === 3 ? evictions(random, id, namespace) : new Sequence(random, id, namespace).steps() };
}

const MEDIA = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
const FINALIZER = 'example.com/a';
const MANAGERS = ['me', 'you'];

/** Requests about two objects of one kind. */
class Sequence {
  readonly #random: Random;
  readonly #kind: Kind;
  readonly #collection: string;
  readonly #id: string;
  readonly #steps: Step[] = [];
  /** Whether the objects of this script are made by server-side apply. */
  readonly #applies: boolean;
  /** Steps whose answers are an object, by its name. */
  readonly #answers = new Map<string, number[]>();

  constructor(random: Random, id: string, namespace: string) {
    this.#random = random;
    this.#id = id;
    this.#kind = random.pick(KINDS.flatMap((kind) => Array<Kind>(kind.weight).fill(kind)));
    this.#collection = collectionOf(this.#kind, namespace);
    this.#applies = random.chance(0.25);
  }

  steps(): readonly Step[] {
    const random = this.#random;
    // Of what controllers write too, events would be theirs.
    const watches = !this.#kind.controlled && random.chance(0.3);
    if (watches) this.#add('list', 'GET', this.#selected());
    const names = random.chance(0.5) ? [`${this.#id}-a`] : [`${this.#id}-a`, `${this.#id}-b`];
    for (const name of names) this.#create(name);
    const more = random.int(2, 6) - (watches ? 1 : 0);
    for (let left = Math.max(1, more); left > 0; left -= 1) this.#one(random.pick(names));
    if (watches) this.#watch();
    return this.#steps;
  }

  #create(name: string): void {
    const random = this.#random;
    if (this.#applies) {
      this.#apply(name, this.#kind.create(random, name));
      return;
    }
    const metadata = {
      name,
      labels: this.#labels(),
      ...random.pick([{}, {}, { finalizers: [FINALIZER] }, { annotations: { note: 'first' } }]),
    };
    const query = random.pick(['', '', '', '', '?dryRun=All', '?fieldValidation=Strict', '?fieldManager=me']);
    this.#add(
      'create',
      'POST',
      `${this.#collection}${query}`,
      { body: { ...this.#head(), metadata, ...this.#kind.create(random, name) } },
      name,
    );
  }

  #one(name: string): void {
    const random = this.#random;
    const { scaled, status, plural } = this.#kind;
    const choices: (() => void)[] = [
      ...Array<() => void>(3).fill(() => this.#merge(name)),
      ...Array<() => void>(3).fill(() => this.#strategic(name)),
      ...Array<() => void>(3).fill(() => this.#json(name)),
      ...Array<() => void>(this.#applies ? 8 : 1).fill(() =>
        this.#apply(name, random.chance(0.4) ? this.#kind.create(random, name) : this.#change()),
      ),
      ...Array<() => void>(3).fill(() => this.#put(name)),
      () => this.#finalizers(name),
      () => this.#finalizers(name),
      () => this.#delete(name),
      () => this.#delete(name),
      () => this.#add('get', 'GET', this.#at(name), { accept: this.#accept() }, name),
      () => this.#list(),
      () => this.#add('pages', 'GET', `${this.#selected()}&limit=1`),
      () => this.#deleteAll(),
      ...(status === undefined ? [] : Array<() => void>(3).fill(() => this.#status(name, status(random)))),
      ...(scaled === true ? Array<() => void>(3).fill(() => this.#scale(name)) : []),
      ...(plural === 'pods' ? Array<() => void>(5).fill(() => this.#bind(name)) : []),
    ];
    random.pick(choices)();
  }

  #change(): object {
    return this.#kind.change(this.#random);
  }

  #merge(name: string): void {
    const random = this.#random;
    const body = this.#withVersion(name, this.#change());
    const query = random.pick(['', '', '', '', '?dryRun=All', '?fieldValidation=Strict', '?fieldManager=you']);
    this.#add('merge', 'PATCH', `${this.#at(name)}${query}`, { body, contentType: MEDIA.merge }, name);
  }

  #strategic(name: string): void {
    const random = this.#random;
    const change = this.#kind.strategic !== undefined && random.chance(0.6) ? this.#kind.strategic(random) : this.#change();
    this.#add('strategic', 'PATCH', this.#at(name), { body: this.#withVersion(name, change), contentType: MEDIA.strategic }, name);
  }

  /** The edits of a merge patch one by one; sometimes with a test before them. */
  #json(name: string): void {
    const random = this.#random;
    const edits: object[] = leaves(this.#change()).map(({ path, value }) =>
      value === null ? { op: 'remove', path } : { op: random.pick(['add', 'add', 'replace']), path, value },
    );
    const before = random.pick<object[]>([
      [],
      [],
      [{ op: 'test', path: '/metadata/name', value: random.pick([name, name, 'another']) }],
      [{ op: 'copy', from: '/metadata/name', path: '/metadata/labels/copy' }],
      [{ op: 'add', path: '/metadata/finalizers', value: [FINALIZER, random.pick(['example.com/b', 'bad'])] }],
      [{ op: 'move', from: '/metadata/labels/tier', path: '/metadata/labels/moved' }],
    ]);
    this.#add('json', 'PATCH', this.#at(name), { body: [...before, ...edits], contentType: MEDIA.json }, name);
  }

  #apply(name: string, change: object): void {
    const random = this.#random;
    const { metadata = {}, ...rest } = withoutNulls(change) as { metadata?: object };
    const force = random.chance(0.3);
    const body = { ...this.#head(), ...rest, metadata: { ...metadata, name, labels: { ...labelsOf(metadata), ...this.#labels() } } };
    const query = `?fieldManager=${random.pick(MANAGERS)}${force ? '&force=true' : ''}`;
    this.#add(force ? 'apply-force' : 'apply', 'PATCH', `${this.#at(name)}${query}`, { body, contentType: MEDIA.apply }, name);
  }

  /** The object as an answer had it, changed: the latest or, to be refused, an earlier one. */
  #put(name: string): void {
    const random = this.#random;
    const known = this.#answers.get(name) ?? [];
    // Controllers may have changed it meanwhile.
    const unversioned = this.#kind.controlled ? { metadata: { resourceVersion: null } } : {};
    const old = !this.#kind.controlled && known.length > 1 && random.chance(0.75);
    const basis = old ? known[0] : known.at(-1);
    if (basis === undefined) return;
    const body = merged(this.#change(), random.chance(old ? 0.05 : 0.15) ? { metadata: { resourceVersion: null } } : unversioned);
    this.#add(old ? 'put-stale' : 'put', 'PUT', this.#at(name), { body, basis }, name);
  }

  #finalizers(name: string): void {
    const random = this.#random;
    const finalizers = random.pick([null, [], [FINALIZER], [FINALIZER, 'example.com/b'], ['bad']]);
    const [kind, body] = random.pick<readonly ['merge' | 'strategic', object]>([
      ['merge', { metadata: { finalizers } }],
      ['strategic', { metadata: { finalizers } }],
      ['strategic', { metadata: { '$deleteFromPrimitiveList/finalizers': [FINALIZER] } }],
    ]);
    this.#add('finalizers', 'PATCH', this.#at(name), { body, contentType: MEDIA[kind] }, name);
  }

  #delete(name: string): void {
    const random = this.#random;
    const known = this.#answers.get(name)?.at(-1);
    const body = random.pick<object | undefined>([
      undefined,
      undefined,
      { propagationPolicy: 'Background' },
      { gracePeriodSeconds: random.pick([0, 5, -1]) },
      { preconditions: { uid: known === undefined ? 'unknown' : `<<${known}.metadata.uid>>` } },
      { preconditions: { uid: 'another' } },
      { dryRun: ['All'] },
      ...(known === undefined || this.#kind.controlled
        ? []
        : [{ preconditions: { resourceVersion: `<<${known}.metadata.resourceVersion>>` } }]),
      { propagationPolicy: 'Sideways' },
    ]);
    this.#add('delete', 'DELETE', this.#at(name), body === undefined ? {} : { body });
  }

  #deleteAll(): void {
    const body = this.#random.pick<object | undefined>([undefined, undefined, { gracePeriodSeconds: 0 }, { dryRun: ['All'] }]);
    this.#add('delete-all', 'DELETE', this.#selected(), body === undefined ? {} : { body });
  }

  #status(name: string, change: object): void {
    const random = this.#random;
    const type = this.#kind.custom === true ? 'merge' : random.pick(['merge', 'strategic'] as const);
    this.#add('status', 'PATCH', `${this.#at(name)}/status`, { body: change, contentType: MEDIA[type] }, name);
  }

  #scale(name: string): void {
    const random = this.#random;
    if (random.chance(0.25)) this.#add('scale', 'GET', `${this.#at(name)}/scale`);
    else {
      const body = { spec: { replicas: random.pick(this.#kind.custom === true ? [1, 2, 3, 50, -1] : [0, 0, -1]) } };
      this.#add('scale', 'PATCH', `${this.#at(name)}/scale`, { body, contentType: MEDIA.merge });
    }
  }

  #bind(name: string): void {
    const target = this.#random.pick<object>([
      { kind: 'Node', name: 'nowhere' },
      { name: 'nowhere' },
      { kind: 'Pod', name: 'x' },
      { name: '' },
    ]);
    this.#add('bind', 'POST', `${this.#at(name)}/binding`, { body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target } });
  }

  #list(): void {
    const random = this.#random;
    const query = random.pick([
      '',
      '%2Ctier',
      '%2Ctier%3Da',
      '%2Ctier+notin+(a,b)',
      '%2C!tier',
      `&fieldSelector=metadata.name%3D${this.#id}-a`,
      '&limit=500',
      ...(this.#kind.plural === 'pods' ? ['&fieldSelector=spec.nodeName%3D', '&fieldSelector=status.phase!%3DRunning'] : []),
      ...(this.#kind.custom === true ? [] : ['&fieldSelector=spec.nothing%3D1']),
    ]);
    this.#add('list', 'GET', `${this.#selected()}${query}`, {
      accept: this.#random.pick(['application/json', 'application/json', TABLE, PARTIAL_LIST, PARTIAL]),
    });
  }

  /** What happened since the list at the script's beginning, up to an object made for that. */
  #watch(): void {
    const random = this.#random;
    const name = `${this.#id}-end`;
    const create = { ...this.#head(), metadata: { name, labels: { ...this.#labels(), tier: 'a' } }, ...PLAIN[this.#kind.plural]?.(name) };
    this.#add('create', 'POST', this.#collection, { body: create });
    const query = random.pick([
      `&resourceVersion=<<0.metadata.resourceVersion>>`,
      `%2Ctier%3Da&resourceVersion=<<0.metadata.resourceVersion>>`,
    ]);
    this.#steps.push({
      operation: 'watch',
      resource: this.#kind.plural,
      method: 'GET',
      path: `${this.#selected()}${query}&watch=1&timeoutSeconds=20`,
      upTo: name,
      ...(random.chance(0.2) ? { accept: PARTIAL } : {}),
    });
  }

  #accept(): string {
    return this.#random.pick(['application/json', 'application/json', TABLE, PARTIAL]);
  }

  #labels(): Record<string, string> {
    return { [CASE_LABEL]: this.#id };
  }

  #head(): object {
    return { apiVersion: this.#kind.apiVersion, kind: this.#kind.kind };
  }

  #at(name: string): string {
    return `${this.#collection}/${name}`;
  }

  #selected(): string {
    return `${this.#collection}?labelSelector=${CASE_LABEL}%3D${this.#id}`;
  }

  /** Sometimes with the version that an answer had: the latest, or an earlier one. */
  #withVersion(name: string, change: object): object {
    const random = this.#random;
    const known = this.#answers.get(name) ?? [];
    if (this.#kind.controlled || known.length === 0 || !random.chance(0.25)) return change;
    return merged(change, { metadata: { resourceVersion: `<<${random.pick(known)}.metadata.resourceVersion>>` } });
  }

  #add(operation: Operation, method: Step['method'], path: string, more: Partial<Step> = {}, object?: string): void {
    if (object !== undefined && more.accept !== TABLE && more.accept !== PARTIAL) {
      this.#answers.set(object, [...(this.#answers.get(object) ?? []), this.#steps.length]);
    }
    this.#steps.push({ operation, resource: this.#kind.plural, method, path, ...more });
  }
}

const PARTIAL = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** The least that an object of a kind needs, where that is not nothing. */
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

/** A budget over some ready pods, then evictions. */
function evictions(random: Random, id: string, namespace: string): Step[] {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
  const labels = { [CASE_LABEL]: id, app: id };
  const count = random.int(1, 2);
  const names = Array.from({ length: count }, (_, index) => `${id}-${index}`);
  const ready = random.int(0, count);
  const budget = random.pick<object | undefined>([
    undefined,
    { minAvailable: 1 },
    { minAvailable: 2 },
    { minAvailable: 0 },
    { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  ]);
  const steps: Step[] = [];
  for (const [index, name] of names.entries()) {
    const finalizers = random.chance(0.2) ? { finalizers: [FINALIZER] } : {};
    const spec = { ...POD_SPEC, ...(random.chance(0.7) ? { nodeName: 'nowhere' } : {}) };
    steps.push({
      operation: 'create',
      resource: 'pods',
      method: 'POST',
      path: pods,
      body: { metadata: { name, labels, ...finalizers }, spec },
    });
    if (index < ready) {
      const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
      steps.push({
        operation: 'status',
        resource: 'pods',
        method: 'PATCH',
        path: `${pods}/${name}/status`,
        body,
        contentType: MEDIA.strategic,
      });
    }
  }
  if (budget !== undefined) {
    const body = { metadata: { name: id, labels }, spec: { ...budget, selector: { matchLabels: { app: id } } } };
    steps.push({ operation: 'create', resource: 'poddisruptionbudgets', method: 'POST', path: budgets, body });
    steps.push({
      operation: 'get',
      resource: 'poddisruptionbudgets',
      method: 'GET',
      path: `${budgets}/${id}`,
      until: { path: 'status.currentHealthy', value: ready },
    });
  }
  for (const name of random.chance(0.5) ? names : [names[0] ?? '']) {
    const options = random.pick<object>([
      {},
      {},
      {},
      { deleteOptions: { gracePeriodSeconds: 0 } },
      { deleteOptions: { dryRun: ['All'] } },
      { deleteOptions: { preconditions: { uid: 'another' } } },
    ]);
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...options };
    steps.push({
      operation: 'evict',
      resource: 'pods',
      method: 'POST',
      path: `${pods}/${random.chance(0.95) ? name : 'missing'}/eviction`,
      body,
    });
  }
  const [first = ''] = names;
  if (random.chance(0.7)) steps.push({ operation: 'get', resource: 'pods', method: 'GET', path: `${pods}/${first}` });
  return steps;
}

function leaves(patch: unknown, path = ''): { readonly path: string; readonly value: unknown }[] {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return [{ path, value: patch }];
  return Object.entries(patch).flatMap(([key, value]) => leaves(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`));
}

/** Two patches as one; of what both say the second counts. */
function merged(first: object, second: object): object {
  const result: Record<string, unknown> = { ...first };
  for (const [key, value] of Object.entries(second) as [string, unknown][]) {
    const before = result[key];
    const both = isPlain(before) && isPlain(value);
    result[key] = both ? merged(before, value) : value;
  }
  return result;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]: [string, unknown]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
}

function labelsOf(metadata: object): object {
  const { labels } = metadata as { labels?: unknown };
  return isPlain(labels) ? labels : {};
}
