import type { Artefact, BrokenArtefact } from './cache.ts';

/** Which artefacts to remove. */
export type PruneRule =
  | { readonly kind: 'all' }
  /** Keeps this many of the newest of each program. */
  | { readonly kind: 'keep'; readonly count: number }
  | { readonly kind: 'older'; readonly thanMs: number; readonly nowMs: number }
  /** `karpenter@1.14.1`, or the name of a folder. */
  | { readonly kind: 'named'; readonly name: string };

/**
 * The artefacts that a rule removes. Broken artefacts are useless: every rule removes them, except one that names another.
 * @param artefacts newest last
 */
export function pruned(
  { artefacts, broken }: { readonly artefacts: readonly Artefact[]; readonly broken: readonly BrokenArtefact[] },
  rule: PruneRule,
): readonly (Artefact | BrokenArtefact)[] {
  switch (rule.kind) {
    case 'all':
      return [...artefacts, ...broken];
    case 'keep': {
      const newerOf = (one: Artefact, index: number): number =>
        artefacts.slice(index + 1).filter(({ manifest }) => manifest.program === one.manifest.program).length;
      return [...artefacts.filter((one, index) => newerOf(one, index) >= rule.count), ...broken];
    }
    case 'older':
      return [...artefacts.filter(({ manifest }) => rule.nowMs - Date.parse(manifest.builtAt) > rule.thanMs), ...broken];
    case 'named':
      return [
        ...artefacts.filter(({ name, manifest }) => [name, `${manifest.program}@${manifest.version}`].includes(rule.name)),
        ...broken.filter(({ name }) => name === rule.name),
      ];
  }
}
