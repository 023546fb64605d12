import { loadTarget } from '../harness/load.ts';
import { printable } from '../reports/paint.ts';
import { ArtefactError, verifyArtefact } from '../targets/go/artefacts/cache.ts';
import type { Artefact } from '../targets/go/artefacts/cache.ts';
import { builtOf } from '../targets/go/target-program.ts';
import type { TargetProgram } from '../targets/go/target-program.ts';
import { buildTarget } from './build-target.ts';
import type { ChosenTarget } from './choose.ts';
import type { Console } from './console.ts';
import { interruption } from './interruption.ts';
import { InterruptedError, UsageError } from './usage-error.ts';

/**
 * Makes sure, once before a run, that the compiled programs of its targets exist and are unchanged: trial processes never look for
 * programs or build them. Builds missing ones, which takes minutes.
 * @param signal aborts a build; Ctrl-C by default
 * @returns the same targets, each pinned to one artefact: later builds don't affect the run
 * @throws UsageError when Go is missing, or a program can't be built or was changed; InterruptedError
 */
export async function prepareTargets<T extends readonly ChosenTarget[]>(
  targets: T,
  console: Console,
  signal?: AbortSignal,
): Promise<{ readonly [K in keyof T]: ChosenTarget }>;
export async function prepareTargets(targets: readonly ChosenTarget[], console: Console, signal?: AbortSignal): Promise<ChosenTarget[]> {
  const known = new Map<string, ChosenTarget>();
  const prepared: ChosenTarget[] = [];
  for (const target of targets) {
    const one = known.get(target.label) ?? (await prepareTarget(target, console, signal));
    known.set(target.label, one);
    prepared.push(one);
  }
  return prepared;
}

/** The same for one target. */
export async function prepareTarget(target: ChosenTarget, console: Console, signal?: AbortSignal): Promise<ChosenTarget> {
  const { ref } = target;
  if ('artefact' in ref && ref.artefact !== undefined) return target;
  const { program, upgradesTo, withHelper } = await loadTarget(ref);
  // A target from a module gets its program from the module.
  if ('module' in ref) return target;
  const other = upgradesTo ?? withHelper;
  if (other !== undefined) {
    // Only one program can be pinned.
    for (const one of [program, other.program]) if (one !== undefined) await verified(await builtProgram(one, console, signal));
    return target;
  }
  if (program === undefined) return target;
  const { name } = await verified(await builtProgram(program, console, signal));
  return { ...target, ref: { ...ref, artefact: name } };
}

async function builtProgram(program: TargetProgram, console: Console, signal: AbortSignal | undefined): Promise<Artefact> {
  const { spec } = program;
  if (spec === undefined) return orUsageError(() => program.artefact());
  const found = builtOf(spec);
  if (found !== undefined) return found;
  const interrupted = signal === undefined ? interruption() : { signal, release: () => undefined };
  try {
    const built = await buildTarget(spec, interrupted.signal, console);
    if (typeof built !== 'string') return built.artefact;
    console.err(`scaleproof: ${built.split('\n').map(printable).join('\n')}\n`);
    throw new UsageError(`${spec.program}@${spec.version} could not be built, so nothing was run`);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw new InterruptedError(`interrupted while ${spec.program}@${spec.version} was built; no partial build was kept`);
  } finally {
    interrupted.release();
  }
}

async function verified(artefact: Artefact): Promise<Artefact> {
  await orUsageError(() => verifyArtefact(artefact));
  return artefact;
}

async function orUsageError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArtefactError) throw new UsageError(error.message);
    throw error;
  }
}
