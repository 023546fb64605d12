/**
 * Finds import cycles.
 * @param imports what each file, or each folder, imports
 * @returns the shortest cycle through each file, as `a.ts -> b.ts -> a.ts`, without duplicates
 */
export function cyclesIn(imports: ReadonlyMap<string, Iterable<string>>): string[] {
  const found = new Map<string, string>();
  for (const start of imports.keys()) {
    const cycle = shortestCycle(start, imports);
    if (cycle === undefined) continue;
    const members = [...new Set(cycle)].sort().join();
    if (!found.has(members)) found.set(members, cycle.join(' -> '));
  }
  return [...found.values()];
}

/** The shortest path from a file or folder back to itself, with it at both ends. */
function shortestCycle(start: string, imports: ReadonlyMap<string, Iterable<string>>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  // Grows during the iteration: this is a breadth-first search.
  const reached = new Set([start]);
  for (const place of reached) {
    for (const next of imports.get(place) ?? []) {
      if (next === start) return [...pathTo(place, cameFrom), start];
      if (reached.has(next)) continue;
      reached.add(next);
      cameFrom.set(next, place);
    }
  }
  return undefined;
}

function pathTo(place: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(place);
  return before === undefined ? [place] : [...pathTo(before, cameFrom), place];
}
