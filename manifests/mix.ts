import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { LoadError } from '../harness/load.ts';
import type { BudgetSpec, UserObject } from '../harness/scenario.ts';
import type { Pool } from '../model/catalogue.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import type { IntOrPercent, KubeObject, PodDisruptionBudget } from '../model/kube.ts';
import { matchesSelector } from '../model/selector.ts';
import { nodeResources } from '../world/nodes/node-resources.ts';
import { readManifests } from './documents.ts';
import type { Manifest } from './documents.ts';
import { judgeFeasibility } from './feasibility.ts';
import type { Feasibility, Load } from './feasibility.ts';
import { manifestFiles } from './files.ts';
import { judgeLimits } from './limits.ts';
import { describeNodeClass, readNodePool } from './node-pools.ts';
import { relocate } from './relocation.ts';
import { withValidator } from './validation.ts';
import type { Validator } from './validation.ts';
import { WORKLOAD_RESOURCES, readWorkload } from './workloads.ts';
import type { UserWorkload } from './workloads.ts';

/** A workload of the user's, and what can come of it. */
export interface MixWorkload extends UserWorkload {
  readonly feasibility: Feasibility;
}

/** A user's own pools and workloads, as a directory of manifests holds them. */
export interface Mix {
  readonly pools: readonly Pool[];
  /** In the order of their files. Those that can't be tested here are among them. */
  readonly workloads: readonly MixWorkload[];
  /** What is applied before the workloads: namespaces, priority classes, budgets. */
  readonly companions: readonly UserObject[];
  /** What is done otherwise than written, and what is not looked at. */
  readonly notes: readonly string[];
  /** Paths of the files. */
  readonly sources: readonly string[];
}

/** Applied as they are. */
const COMPANIONS: Readonly<Record<string, string>> = {
  '/Namespace': 'namespaces',
  'scheduling.k8s.io/PriorityClass': 'priorityclasses',
  'node.k8s.io/RuntimeClass': 'runtimeclasses',
  'policy/PodDisruptionBudget': 'poddisruptionbudgets',
};
const NODE_POOL = 'karpenter.sh/NodePool';
const NODE_CLASS = 'karpenter.k8s.aws/EC2NodeClass';
const DEFINITION = 'apiextensions.k8s.io/CustomResourceDefinition';
/** They make pods, and are not applied: why. */
const UNAPPLIED: Readonly<Record<string, string>> = {
  '/Pod': 'nothing brings a bare pod back',
  '/ReplicationController': 'nobody here runs it; a Deployment takes its place',
  'batch/CronJob': 'its times are not those of a trial; a Job of the same template can stand for it',
  'argoproj.io/Rollout': 'nobody here runs it; a Deployment can stand for it',
};
/** What a cluster writes into objects, as `kubectl get -o yaml` shows it. */
const SERVER_FIELDS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'];
const BUILT_IN_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
/** Created first: others refer to them. */
const FIRST = ['/Namespace', 'scheduling.k8s.io/PriorityClass', 'node.k8s.io/RuntimeClass'];

/**
 * Reads a directory of manifests, has them checked by the API, and finds out what its pools can't serve.
 * @throws LoadError for what `kubectl apply` would refuse, naming file, document and field
 */
export async function readMix(directory: string): Promise<Mix> {
  const sources = manifestFiles(directory);
  const read = sources.flatMap((path) =>
    readManifests({ path: relative(directory, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }),
  );
  const catalogue = loadCatalogue();
  const owned = read.filter(isOwned);
  const { manifests, notes: moves } = relocate(read.filter((manifest) => !isOwned(manifest)).map(withoutServerFields), catalogue);
  return withValidator(async (validator) => {
    const checked = await check(manifests, validator);
    const { pools, notes: poolNotes } = poolsOf(checked);
    const workloads = checked.filter(({ kind, apiVersion }) => isWorkload(apiVersion, kind)).map(readWorkload);
    refuseNamesakes(workloads);
    const loads = workloads.map(toLoad);
    const judged = judgeLimits(
      loads,
      judgeFeasibility(loads, pools, { catalogue, allocatable: (type) => nodeResources(type).allocatable }),
    );
    const mixed: MixWorkload[] = [];
    for (const workload of workloads) mixed.push({ ...workload, feasibility: await judgePods(workload, judged, validator) });
    if (workloads.length === 0)
      throw new LoadError(`${directory} holds no workload: no Deployment, ReplicaSet, StatefulSet, Job or DaemonSet`);
    return {
      pools,
      workloads: mixed,
      companions: companionsOf(checked, workloads),
      notes: [
        ...moves,
        ...poolNotes,
        ...workloads.flatMap(({ notes }) => notes),
        ...owned.map(({ where }) => `${where}: not applied: another object makes it`),
        ...leftOut(checked),
      ],
      sources,
    };
  });
}

function typeOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  return `${apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''}/${kind}`;
}

function isWorkload(apiVersion: string, kind: string): boolean {
  const group = kind === 'Job' ? 'batch' : 'apps';
  return kind in WORKLOAD_RESOURCES && apiVersion.startsWith(`${group}/`);
}

function isOwned({ object }: Manifest): boolean {
  return (object.metadata.ownerReferences ?? []).length > 0;
}

function withoutServerFields(manifest: Manifest): Manifest {
  const { status: _status, ...object } = manifest.object as KubeObject & { status?: unknown };
  const kept = Object.entries(object.metadata).filter(([field]) => !SERVER_FIELDS.includes(field));
  return { ...manifest, object: { ...object, metadata: Object.fromEntries(kept) } };
}

/** Has the API check everything of a kind that it serves; returns what it took, with namespaces filled in. */
async function check(manifests: readonly Manifest[], validator: Validator): Promise<Manifest[]> {
  const placed = manifests.map((manifest) => {
    const { metadata } = manifest.object;
    if (!validator.isNamespaced(manifest)) return manifest;
    return { ...manifest, object: { ...manifest.object, metadata: { ...metadata, namespace: metadata.namespace ?? 'default' } } };
  });
  for (const manifest of placed) {
    const { apiVersion, kind, where } = manifest;
    if (
      !validator.serves(manifest) &&
      (typeOf(manifest) in COMPANIONS || isWorkload(apiVersion, kind) || [NODE_POOL, NODE_CLASS].includes(typeOf(manifest)))
    ) {
      throw new LoadError(`${where}: no API of Kubernetes 1.34 or Karpenter v1 serves a ${kind} of ${apiVersion}`);
    }
  }
  const served = placed.filter((manifest) => validator.serves(manifest) && typeOf(manifest) !== DEFINITION);
  const namespaces = missingNamespaces(served).map((name): Manifest => ({
    where: `namespace ${name}`,
    apiVersion: 'v1',
    kind: 'Namespace',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  }));
  const all = [...namespaces, ...served].sort((a, b) => rankOf(a) - rankOf(b));
  for (const manifest of all) {
    const isBuiltIn = manifest.kind === 'Namespace' && BUILT_IN_NAMESPACES.includes(manifest.object.metadata.name ?? '');
    if (!isBuiltIn) await validator.create(manifest);
  }
  return [...all, ...placed.filter((manifest) => !served.includes(manifest))];
}

function rankOf(manifest: Manifest): number {
  const rank = FIRST.indexOf(typeOf(manifest));
  return rank < 0 ? FIRST.length : rank;
}

/** Namespaces that objects lie in and that no manifest makes. */
function missingNamespaces(manifests: readonly Manifest[]): string[] {
  const made = manifests.flatMap(({ kind, object }) => (kind === 'Namespace' ? [object.metadata.name ?? ''] : []));
  const used = manifests.flatMap(({ object }) => object.metadata.namespace ?? []);
  return [...new Set(used)].filter((name) => !made.includes(name) && !BUILT_IN_NAMESPACES.includes(name)).sort();
}

function poolsOf(manifests: readonly Manifest[]): { readonly pools: readonly Pool[]; readonly notes: readonly string[] } {
  const read = manifests.filter((manifest) => typeOf(manifest) === NODE_POOL).map(readNodePool);
  const classes = manifests.filter((manifest) => typeOf(manifest) === NODE_CLASS).map(describeNodeClass);
  return { pools: read.map(({ pool }) => pool), notes: [...read.flatMap(({ notes }) => notes), ...classes] };
}

function refuseNamesakes(workloads: readonly UserWorkload[]): void {
  const names = new Map<string, UserWorkload>();
  for (const workload of workloads) {
    const other = names.get(workload.name);
    if (other !== undefined)
      throw new LoadError(`${workload.where} and ${other.where} can't be told apart by the name ${workload.name}; rename one`);
    names.set(workload.name, workload);
  }
}

function toLoad({ name, namespace, replicas, template, kind }: UserWorkload): Load {
  return { name, namespace, replicas, template, isDaemon: kind === 'DaemonSet' };
}

/** Pods that the API refuses are served by nobody. */
async function judgePods(workload: UserWorkload, judged: ReadonlyMap<string, Feasibility>, validator: Validator): Promise<Feasibility> {
  const refusal = await validator.refusalOfPods(workload);
  if (refusal !== undefined) return { kind: 'unservable', why: `the API refuses its pods: ${refusal}` };
  return judged.get(workload.name) ?? { kind: 'unservable', why: 'it was not looked at' };
}

function companionsOf(manifests: readonly Manifest[], workloads: readonly UserWorkload[]): UserObject[] {
  return manifests.flatMap((manifest) => {
    const resource = COMPANIONS[typeOf(manifest)];
    const { object, kind } = manifest;
    if (resource === undefined || (kind === 'Namespace' && BUILT_IN_NAMESPACES.includes(object.metadata.name ?? ''))) return [];
    if (kind !== 'PodDisruptionBudget') return [{ resource, object }];
    return [{ resource, object, protects: protectedBy(object as PodDisruptionBudget, workloads) }];
  });
}

function protectedBy(budget: PodDisruptionBudget, workloads: readonly UserWorkload[]): UserObject['protects'] {
  const { selector, minAvailable, maxUnavailable } = budget.spec;
  return workloads
    .filter(({ namespace, kind, template }) => {
      return kind !== 'DaemonSet' && namespace === budget.metadata.namespace && matchesSelector(selector, template.metadata?.labels);
    })
    .map(({ name, replicas }) => ({ workload: name, budget: budgetOf(minAvailable, maxUnavailable, replicas) }));
}

/** Shares are rounded up, as the disruption controller does it. The API's default is nothing but `minAvailable: 1`. */
function budgetOf(minAvailable: IntOrPercent | undefined, maxUnavailable: IntOrPercent | undefined, replicas: number): BudgetSpec {
  const podsOf = (value: IntOrPercent): number =>
    typeof value === 'number' ? value : Math.ceil((replicas * Number.parseInt(value, 10)) / 100);
  if (maxUnavailable !== undefined) return { maxUnavailable: podsOf(maxUnavailable) };
  return { minAvailable: podsOf(minAvailable ?? 1) };
}

/** What is not applied: kinds that make pods one by one, all others together. */
function leftOut(manifests: readonly Manifest[]): string[] {
  const rest = manifests.filter((manifest) => {
    const type = typeOf(manifest);
    return !(type in COMPANIONS) && !isWorkload(manifest.apiVersion, manifest.kind) && type !== NODE_POOL && type !== NODE_CLASS;
  });
  const counts = new Map<string, number>();
  const notes: string[] = [];
  for (const manifest of rest) {
    const why = UNAPPLIED[typeOf(manifest)];
    if (why === undefined) counts.set(manifest.kind, (counts.get(manifest.kind) ?? 0) + 1);
    else notes.push(`${manifest.where}: not applied: ${why}`);
  }
  const others = [...counts].map(([kind, count]) => `${count} ${kind}`);
  return others.length === 0 ? notes : [...notes, `not applied, since no pod needs them here: ${others.join(', ')}`];
}
