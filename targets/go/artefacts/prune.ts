import type { Artefact, BrokenArtefact } from './cache.ts';

/** Which artefacts shall go. */
export type PruneRule =
  | { readonly kind: 'all' }
  /** The newest so many of each program stay. */
  | { readonly kind: 'keep'; readonly count: number }
  | { readonly kind: 'older'; readonly thanMs: number; readonly nowMs: number }
  /** `karpenter@1.14.1`, or the name of a folder. */
  | { readonly kind: 'named'; readonly name: string };

/**
 * What a rule removes. What can't be read as an artefact serves nobody: it goes by every rule but one that names something else.
 * @param artefacts the newest last
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
