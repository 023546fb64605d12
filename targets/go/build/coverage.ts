/** The end of a version whose build counts which of its own code has run. */
export const COVERAGE = '-coverage';

/**
 * Go's flags for such a build. The mode is `set`: whether a block has run, not how often. The other modes cost more, and only `atomic`
 * offers the counters to the program itself, which a host does not need (see `overlay.ts`).
 * @param patterns of packages
 */
export function coverageFlags(patterns: readonly string[] = []): string[] {
  return patterns.length === 0 ? [] : ['-cover', '-covermode=set', `-coverpkg=${patterns.join(',')}`];
}
