import { relative } from 'node:path';
import { LoadError } from '../harness/load-error.ts';
import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { ZONES, loadCatalogue } from '../model/instance-catalogue.ts';
import { admit, withoutServerFields } from './admission.ts';
import { companionsOf } from './companions.ts';
import { readManifests } from './documents.ts';
import type { Manifest } from './documents.ts';
import type { Quota } from '../world/kube/rules/quotas.ts';
import { judgeFeasibility } from './feasibility.ts';
import type { Feasibility } from './feasibility.ts';
import type { Seat } from './offers.ts';
import { manifestFiles, readManifestFile } from './files.ts';
import { NODE_CLASS, NODE_POOL, QUOTA, isWorkload, typeOf } from './kinds.ts';
import { describeNotApplied } from './not-applied.ts';
import { idleNotes } from './idle-nodes.ts';
import { followedRuns, scheduleNotes } from './cron-runs.ts';
import { judgeLimits } from './limits.ts';
import { loadOf } from './load.ts';
import type { Mix, MixWorkload } from './mix.ts';
import { portableStorage } from './portable-storage.ts';
import { assumedClasses, readStorage } from './storage.ts';
import { countNodes } from './node-count.ts';
import { classDoubts, classesOfPools, describeIgnored, readNodeClass } from './node-classes.ts';
import type { ClassDoubt } from './node-classes.ts';
import { readNodePool } from './node-pools.ts';
import { poolNodes } from './pool-nodes.ts';
import { quotaProblem, withAmounts } from './quotas.ts';
import { relocate } from './relocation.ts';
import { peakOf, podAutoscalersOf } from './pod-autoscalers.ts';
import type { Scaling } from './pod-autoscalers.ts';
import { refuseUntestable } from './untestable.ts';
import { withValidator } from './validation.ts';
import { readWorkload } from './workloads.ts';
import type { UserWorkload } from './workloads.ts';

/** How manifests are read. */
export interface MixOptions {
  /** Whether the target is Karpenter, and applies EC2NodeClasses and all of a NodePool; by default not. */
  readonly appliesClasses?: boolean;
}

/**
 * Reads a directory of manifests, validates them with the API, and finds out what their pools can't serve.
 * @throws LoadError for files that can't be read, for objects that `kubectl apply` would reject, with file, document and field, and
 *   if no workload could ever be served
 */
export async function readMix(directory: string, { appliesClasses = false }: MixOptions = {}): Promise<Mix> {
  const sources = manifestFiles(directory);
  const read = sources.flatMap((path) =>
    readManifests({ path: relative(directory, path).replaceAll('\\', '/'), text: readManifestFile(path) }),
  );
  const owned = read.filter(isOwned);
  const written = portableStorage(read.filter((manifest) => !isOwned(manifest)).map(withoutServerFields));
  const { manifests, notes: moves } = relocate(written.manifests, loadCatalogue());
  return withValidator(async (validator) => {
    const admitted = await admit(manifests, validator);
    const { pools, notes: poolNotes, ignoresClasses, doubts } = poolsOf(admitted.taken, appliesClasses);
    const storage = readStorage(admitted.taken);
    const unchecked = admitted.taken.filter(isWorkload).map((manifest) => readWorkload(manifest, storage));
    const refusals = new Map<string, string>();
    const found: UserWorkload[] = [];
    for (const workload of unchecked) {
      const pod = await validator.admitPod(workload);
      if ('refusal' in pod) refusals.set(workload.name, pod.refusal);
      found.push('refusal' in pod ? workload : { ...workload, template: withAmounts(workload.template, pod.spec) });
    }
    const quotas = admitted.taken.filter((manifest) => typeOf(manifest) === QUOTA).map(({ object }) => object as unknown as Quota);
    const assumed = assumedClasses(
      storage,
      found.flatMap(({ volumes }) => volumes.classes),
    );
    refuseDuplicateNames(found);
    const scalings = podAutoscalersOf(admitted.taken);
    const workloads = judge(found, { pools, refusals, quotas, scalings }).map((workload, _index, all) =>
      withDoubt(withSharedClaims(workload, all), doubts),
    );
    refuseUntestable(directory, { pools, workloads });
    const nodes = countNodes(workloads.map(atPeak));
    const cronRuns = followedRuns(workloads);
    return {
      pools,
      workloads,
      cronRuns,
      companions: [...assumed, ...companionsOf(admitted.taken, workloads)],
      notes: [
        ...moves,
        ...written.notes,
        ...poolNotes,
        ...idleNotes({ pools, workloads, nodes }),
        ...assumed.map(
          ({ object: { metadata } }) =>
            `no manifest defines the StorageClass ${metadata.name}: taken for EBS volumes in the zone of their pod`,
        ),
        ...workloads.flatMap(({ notes }) => notes),
        ...scheduleNotes(workloads, cronRuns),
        ...scalingNotes(scalings, workloads),
        ...owned.map(({ where }) => `${where}: not applied: another object creates it`),
        ...describeNotApplied(admitted),
      ],
      ignoresClasses,
      nodes,
      sources,
    };
  });
}

function isOwned({ object }: Manifest): boolean {
  return (object.metadata.ownerReferences ?? []).length > 0;
}

function poolsOf(
  manifests: readonly Manifest[],
  appliesClasses: boolean,
): Pick<Mix, 'pools' | 'notes' | 'ignoresClasses'> & { readonly doubts: ReadonlyMap<string, ClassDoubt> } {
  const written = manifests.filter((manifest) => typeOf(manifest) === NODE_POOL);
  const read = written.map((manifest) => readNodePool(manifest, appliesClasses));
  const pools = read.map(({ pool }) => pool);
  const notes = read.flatMap((one) => one.notes);
  const classManifests = manifests.filter((manifest) => typeOf(manifest) === NODE_CLASS);
  const doubts = classDoubts(written, classManifests, appliesClasses);
  const doubtful = [...doubts.values()].map(({ why }) => why);
  if (!appliesClasses) {
    const ignored = classManifests.map(describeIgnored);
    const all = [...notes, ...ignored.flatMap((one) => one.notes), ...doubtful];
    return { pools, notes: all, ignoresClasses: ignored.some((one) => one.isIgnored), doubts };
  }
  const classes = classManifests.map(readNodeClass);
  const byPool = classesOfPools(
    written,
    classes.map(({ nodeClass }) => nodeClass),
  );
  return {
    pools: pools.map((pool) => ({ ...pool, ...defined({ nodeClass: byPool.get(pool.name) }) })),
    notes: [...notes, ...classes.flatMap((one) => one.notes), ...doubtful],
    ignoresClasses: false,
    doubts,
  };
}

function refuseDuplicateNames(workloads: readonly UserWorkload[]): void {
  const names = new Map<string, UserWorkload>();
  for (const workload of workloads) {
    const other = names.get(workload.name);
    if (other !== undefined) throw new LoadError(`${workload.where} and ${other.where} have the same name ${workload.name}; rename one`);
    names.set(workload.name, workload);
  }
}

/** What decides whether workloads can be served. */
interface Facts {
  readonly pools: readonly Pool[];
  /** Why the API rejects pods, by the workload's name. */
  readonly refusals: ReadonlyMap<string, string>;
  readonly quotas: readonly Quota[];
  readonly scalings: ReadonlyMap<string, Scaling>;
}

/** Decides which workloads these pools can serve, and which of them at the peak of their load. */
function judge(workloads: readonly UserWorkload[], { pools, refusals, quotas, scalings }: Facts): MixWorkload[] {
  const market = { catalogue: loadCatalogue(), nodesOf: poolNodes };
  const judgeAll = (all: readonly UserWorkload[]): Feasibility[] => {
    const loads = all.map(loadOf);
    const judged = judgeLimits(loads, judgeFeasibility(loads, pools, market));
    const found = all.map((workload) => ({ workload, feasibility: judgePods(workload, judged, refusals.get(workload.name)) }));
    // Pods that are refused, or left out, use nothing.
    const created = found
      .filter((one) => !refusals.has(one.workload.name) && one.feasibility.kind !== 'untestable')
      .map(({ workload }) => workload);
    return found.map(({ workload, feasibility }) => withinQuotas(workload, feasibility, { created, quotas }));
  };
  const peaks = workloads.map((workload) => {
    const scaling = scalings.get(workload.title);
    return scaling === undefined ? workload : { ...workload, replicas: scaling.max };
  });
  const now = judgeAll(workloads);
  const then = scalings.size === 0 ? now : judgeAll(peaks);
  return workloads.map((workload, index) => {
    const feasibility = now[index] ?? NOT_JUDGED;
    const scaling = scalings.get(workload.title);
    return { ...workload, feasibility, ...defined({ scaling: scaling && { ...scaling, peak: then[index] ?? NOT_JUDGED } }) };
  });
}

const NOT_JUDGED: Feasibility = { kind: 'unservable', why: 'it was not judged' };

/** A workload at the peak of its load. */
function atPeak(workload: MixWorkload): MixWorkload {
  const { scaling } = workload;
  return scaling === undefined ? workload : { ...workload, replicas: scaling.max, feasibility: scaling.peak };
}

function scalingNotes(scalings: ReadonlyMap<string, Scaling>, workloads: readonly MixWorkload[]): string[] {
  const scaled = workloads.flatMap(({ title, replicas, scaling }) => {
    if (scaling === undefined) return [];
    const { min, max, peak } = scaling;
    const reached = peakOf(replicas, scaling);
    const slow = reached < max ? ` of its maxReplicas ${max}, since it is no faster,` : '';
    const then =
      peak.kind === 'servable' && reached > replicas
        ? `manifests/load-peak scales it to ${reached}${slow} and back to ${min}`
        : `not scaled to its maxReplicas ${max}`;
    return [`${title}: ${replicas} ${replicas === 1 ? 'pod' : 'pods'}; ${then}`];
  });
  const missing = [...scalings.keys()].filter((title) => !workloads.some((workload) => workload.title === title));
  return [...scaled, ...missing.map((title) => `${title}: a HorizontalPodAutoscaler scales it, but it is not among the manifests`)];
}

/** A quota of its namespace may keep some of its pods from being created. */
function withinQuotas(
  workload: UserWorkload,
  found: Feasibility,
  { created, quotas }: { readonly created: readonly UserWorkload[]; readonly quotas: readonly Quota[] },
): Feasibility {
  if (found.kind !== 'servable' || workload.kind === 'DaemonSet') return found;
  const beside = created.filter((one) => one.namespace === workload.namespace && one.kind !== 'DaemonSet');
  const why = quotas
    .filter(({ metadata }) => metadata.namespace === workload.namespace)
    .flatMap((quota) => quotaProblem(quota, workload, beside) ?? [])[0];
  return why === undefined ? found : { kind: 'partly', seats: found.seats, why };
}

/** A workload whose pods the API rejects is unservable. */
function judgePods(workload: UserWorkload, judged: ReadonlyMap<string, Feasibility>, refusal: string | undefined): Feasibility {
  if (refusal !== undefined) return { kind: 'unservable', why: `the API rejects its pods: ${refusal}` };
  const found = judged.get(workload.name) ?? NOT_JUDGED;
  const why = found.kind === 'servable' ? volumeProblem(workload, found.seats) : undefined;
  return found.kind === 'servable' && why !== undefined ? { kind: 'partly', seats: found.seats, why } : found;
}

/** A claim that only one node at a time can use, and that several workloads name, may keep some of their pods from running. */
function withSharedClaims(workload: MixWorkload, all: readonly MixWorkload[]): MixWorkload {
  const { feasibility, namespace, volumes } = workload;
  if (feasibility.kind !== 'servable') return workload;
  const other = all.find(
    (one) => one !== workload && one.namespace === namespace && one.volumes.shared.some((name) => volumes.shared.includes(name)),
  );
  if (other === undefined) return workload;
  const why = `it shares a claim with ${other.title}, which only one node at a time can attach (ReadWriteOnce)`;
  return { ...workload, feasibility: { kind: 'partly', seats: feasibility.seats, why } };
}

/** Nothing is launched for the pods of a DaemonSet. */
function withDoubt(workload: MixWorkload, doubts: ReadonlyMap<string, ClassDoubt>): MixWorkload {
  const { feasibility } = workload;
  if (feasibility.kind !== 'servable' || workload.kind === 'DaemonSet') return workload;
  const pools = [...new Set(feasibility.seats.map(({ pool }) => pool.name))];
  const found = pools.flatMap((name) => doubts.get(name) ?? []);
  if (found.length === 0) return workload;
  const isNever = found.every(({ kind }) => kind === 'unservable');
  const kind = isNever ? (found.length === pools.length ? 'unservable' : 'partly') : 'untestable';
  return { ...workload, doubt: { kind, why: found.map(({ why }) => why).join('; ') } };
}

/** Why its volumes may keep some of its pods from running. */
function volumeProblem(
  { volumes: { immediate, shared, existingZones }, replicas }: UserWorkload,
  seats: readonly Seat[],
): string | undefined {
  const outside = existingZones.find((zone) => !seats.some(({ offering }) => offering.zone === zone));
  if (outside !== undefined) return `one of its volumes is in ${outside}, where its pods can't run`;
  if (shared.length > 0 && replicas > 1)
    return `its ${replicas} pods share the claim ${shared.join(', ')}, which only one node at a time can attach (ReadWriteOnce)`;
  const missing = ZONES.find((zone) => !seats.some(({ offering }) => offering.zone === zone));
  if (immediate.length === 0 || missing === undefined) return undefined;
  return `its volume ${immediate.join(', ')} is created at once, in any zone (volumeBindingMode Immediate), and its pods can't run in ${missing}`;
}
