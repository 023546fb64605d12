import { beside } from './beside.ts';
import { clusterAutoscalerTarget } from './cluster-autoscaler/cluster-autoscaler.ts';
import { parseTargetVersion } from './go/build/programs.ts';
import { karpenterTarget } from './karpenter/karpenter.ts';
import { mutants } from './mutants/catalogue.ts';
import { nodeTerminationHandlerTarget } from './node-termination-handler/node-termination-handler.ts';
import { plain } from './plain.ts';
import { reference } from './reference.ts';
import type { Target } from './target.ts';
import { HANDOVER, handedOver, upgraded } from './upgrade.ts';
import { currentTargetName } from '../model/former-names.ts';

/** Everything that can be tested by name. */
export const targetCatalogue: readonly Target[] = [
  reference,
  reference.quick,
  plain,
  ...mutants.flatMap(({ target }) => [target, target.quick]),
];

/** There is no target with this name. */
export class UnknownTargetError extends Error {
  readonly target: string;
  constructor(target: string) {
    super(`no target is named "${target}"`);
    this.name = 'UnknownTargetError';
    this.target = target;
  }
}

/** Targets that are versions of a program, by the program's name. */
const versioned: Readonly<Record<string, (version: string, pinned: string | undefined) => Target>> = {
  karpenter: karpenterTarget,
  'cluster-autoscaler': clusterAutoscalerTarget,
  'node-termination-handler': nodeTerminationHandlerTarget,
};

/** `PROGRAM@VERSION`, built or not; undefined for other names. @throws TargetVersionError for an invalid version */
function targetWithVersion(name: string, pinned: string | undefined): Target | undefined {
  const [program = ''] = name.split('@', 1);
  if (!name.includes('@') && !Object.hasOwn(versioned, name)) return undefined;
  const { version } = parseTargetVersion(name);
  return versioned[program]?.(version, pinned);
}

/** The names of the autoscalers in a target's name: `NAME`, `A+B`, `A..B` or `handover:A..B`. */
export function namesInTarget(name: string): string[] {
  return withoutHandover(name).split(/\+|\.\./);
}

function withoutHandover(name: string): string {
  return name.startsWith(HANDOVER) ? name.slice(HANDOVER.length) : name;
}

/** Those of the autoscalers named by `NAME`, `A+B` or `A..B` that are bundled with Scaleproof. */
export function bundledNamesIn(name: string): string[] {
  return namesInTarget(currentTargetName(name)).filter((part) => targetCatalogue.some((target) => target.name === part));
}

function ownTarget(name: string): Target {
  const found = targetCatalogue.find((target) => target.name === name);
  if (found === undefined) throw new UnknownTargetError(name);
  return found;
}

/**
 * A target of the catalogue by its name, a version of a program as `PROGRAM@VERSION`, with a name `A+B`, A with B beside it in
 * the same cluster, or, with a name `A..B`, A that is replaced by B, with `handover:A..B` while it still runs.
 * @throws UnknownTargetError that names the unknown part; TargetVersionError; Error for parts that can't be combined
 * @param pinned the artefact's folder name, for a version of a program; by default the newest
 */
export function targetNamed(name: string, pinned?: string): Target {
  const [from = '', to, ...further] = withoutHandover(name).split('..');
  if (further.length > 0) throw new Error(`${name}: there is one upgrade in a trial, FROM..TO`);
  // Only one program can be pinned.
  if (to !== undefined) return (name.startsWith(HANDOVER) ? handedOver : upgraded)(targetNamed(from), targetNamed(to));
  if (name.startsWith(HANDOVER)) throw new Error(`${name}: two autoscalers take part in a handover, ${HANDOVER}FROM..TO`);
  const [first, second, ...more] = currentTargetName(name)
    .split('+')
    .map((part) => {
      return targetWithVersion(part, pinned) ?? ownTarget(part);
    });
  if (first === undefined) throw new UnknownTargetError(name);
  if (more.length > 0) throw new Error(`${name}: at most two autoscalers can be in one cluster`);
  return second === undefined ? first : beside(first, second);
}
