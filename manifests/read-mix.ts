import { relative } from 'node:path';
import { LoadError } from '../harness/load-error.ts';
import type { InstanceType, Pool } from '../model/catalogue.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { nodeResources } from '../world/nodes/node-resources.ts';
import { admit, withoutServerFields } from './admission.ts';
import { companionsOf } from './companions.ts';
import { readManifests } from './documents.ts';
import type { Manifest } from './documents.ts';
import { judgeFeasibility } from './feasibility.ts';
import type { Feasibility } from './feasibility.ts';
import { manifestFiles, readManifestFile } from './files.ts';
import { NODE_CLASS, NODE_POOL, isWorkload, typeOf } from './kinds.ts';
import { describeNotApplied } from './not-applied.ts';
import { judgeLimits } from './limits.ts';
import { loadOf } from './load.ts';
import type { Mix, MixWorkload } from './mix.ts';
import { countNodes } from './node-count.ts';
import { describeNodeClass, readNodePool } from './node-pools.ts';
import { relocate } from './relocation.ts';
import { refuseUntestable } from './untestable.ts';
import { withValidator } from './validation.ts';
import type { Validator } from './validation.ts';
import { readWorkload } from './workloads.ts';
import type { UserWorkload } from './workloads.ts';

/**
 * Reads a directory of manifests, validates them with the API, and finds out what their pools can't serve.
 * @throws LoadError for files that can't be read, for objects that `kubectl apply` would reject, with file, document and field, and
 *   if no workload could ever be served
 */
export async function readMix(directory: string): Promise<Mix> {
  const sources = manifestFiles(directory);
  const read = sources.flatMap((path) =>
    readManifests({ path: relative(directory, path).replaceAll('\\', '/'), text: readManifestFile(path) }),
  );
  const owned = read.filter(isOwned);
  const { manifests, notes: moves } = relocate(read.filter((manifest) => !isOwned(manifest)).map(withoutServerFields), loadCatalogue());
  return withValidator(async (validator) => {
    const admitted = await admit(manifests, validator);
    const { pools, notes: poolNotes } = poolsOf(admitted.taken);
    const found = admitted.taken.filter(isWorkload).map(readWorkload);
    refuseDuplicateNames(found);
    const workloads = await judge(found, pools, validator);
    refuseUntestable(directory, { pools, workloads });
    return {
      pools,
      workloads,
      companions: companionsOf(admitted.taken, workloads),
      notes: [
        ...moves,
        ...poolNotes,
        ...workloads.flatMap(({ notes }) => notes),
        ...owned.map(({ where }) => `${where}: not applied: another object creates it`),
        ...describeNotApplied(admitted),
      ],
      nodes: countNodes(workloads),
      sources,
    };
  });
}

function isOwned({ object }: Manifest): boolean {
  return (object.metadata.ownerReferences ?? []).length > 0;
}

function poolsOf(manifests: readonly Manifest[]): { readonly pools: readonly Pool[]; readonly notes: readonly string[] } {
  const read = manifests.filter((manifest) => typeOf(manifest) === NODE_POOL).map(readNodePool);
  const classes = manifests.filter((manifest) => typeOf(manifest) === NODE_CLASS).map(describeNodeClass);
  return { pools: read.map(({ pool }) => pool), notes: [...read.flatMap(({ notes }) => notes), ...classes] };
}

function refuseDuplicateNames(workloads: readonly UserWorkload[]): void {
  const names = new Map<string, UserWorkload>();
  for (const workload of workloads) {
    const other = names.get(workload.name);
    if (other !== undefined) throw new LoadError(`${workload.where} and ${other.where} have the same name ${workload.name}; rename one`);
    names.set(workload.name, workload);
  }
}

/** Decides which workloads these pools can serve. */
async function judge(workloads: readonly UserWorkload[], pools: readonly Pool[], validator: Validator): Promise<MixWorkload[]> {
  const loads = workloads.map(loadOf);
  const market = { catalogue: loadCatalogue(), allocatable: (type: InstanceType) => nodeResources(type).allocatable };
  const judged = judgeLimits(loads, judgeFeasibility(loads, pools, market));
  const mixed: MixWorkload[] = [];
  for (const workload of workloads) mixed.push({ ...workload, feasibility: await judgePods(workload, judged, validator) });
  return mixed;
}

/** A workload whose pods the API rejects is unservable. */
async function judgePods(workload: UserWorkload, judged: ReadonlyMap<string, Feasibility>, validator: Validator): Promise<Feasibility> {
  const refusal = await validator.refusalOfPods(workload);
  if (refusal !== undefined) return { kind: 'unservable', why: `the API rejects its pods: ${refusal}` };
  return judged.get(workload.name) ?? { kind: 'unservable', why: 'it was not judged' };
}
