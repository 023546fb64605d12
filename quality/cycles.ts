/**
 * Finds where imports go round in a circle.
 * @param imports what each file, or each folder, imports
 * @returns the shortest circle of each that is in one, as `a.ts -> b.ts -> a.ts`, each circle once
 */
export function cyclesIn(imports: ReadonlyMap<string, Iterable<string>>): string[] {
  const found = new Map<string, string>();
  for (const start of imports.keys()) {
    const cycle = wayBack(start, imports);
    if (cycle === undefined) continue;
    const members = [...new Set(cycle)].sort().join();
    if (!found.has(members)) found.set(members, cycle.join(' -> '));
  }
  return [...found.values()];
}

/** The shortest way from a place back to itself, with it at both ends. */
function wayBack(start: string, imports: ReadonlyMap<string, Iterable<string>>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  // Grows while it is walked through.
  const reached = new Set([start]);
  for (const place of reached) {
    for (const next of imports.get(place) ?? []) {
      if (next === start) return [...wayTo(place, cameFrom), start];
      if (reached.has(next)) continue;
      reached.add(next);
      cameFrom.set(next, place);
    }
  }
  return undefined;
}

function wayTo(place: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(place);
  return before === undefined ? [place] : [...wayTo(before, cameFrom), place];
}
