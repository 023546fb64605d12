/** A function's head: how many counters follow, its package, its number there. Source: `internal/coverage` of Go (defs.go). */
const HEAD_LENGTH = 3;

/**
 * The blocks of its own code that a program has run, as their places among its counters (`go build -cover -covermode=set`). They
 * are the same in each run of the same program. Each function has a head, which is zero until it runs for the first time, and then a
 * counter for each of its blocks. Source of the format: `internal/coverage/cfile` (emit.go, `VisitFuncs`).
 * @param numbers all of the program's counters
 */
export function coveredBlocks(numbers: Uint32Array): Set<number> {
  const blocks = new Set<number>();
  let at = 0;
  while (at < numbers.length) {
    const counters = numbers[at] ?? 0;
    // Nobody can say where a function begins that has not run; its counters are zero as well.
    if (counters === 0) {
      at += 1;
      continue;
    }
    const first = at + HEAD_LENGTH;
    const end = Math.min(first + counters, numbers.length);
    for (let place = first; place < end; place += 1) if (numbers[place] !== 0) blocks.add(place);
    at = end;
  }
  return blocks;
}

/**
 * The same for a program's memory, by what it told its host.
 * @param at the address of its counters @param length how many numbers there are
 * @returns nothing if it told nothing, or what can't be true
 */
export function coveredIn(memory: ArrayBuffer, at: unknown, length: unknown): Set<number> {
  const bytes = Uint32Array.BYTES_PER_ELEMENT;
  const isPossible = typeof at === 'number' && typeof length === 'number' && at % bytes === 0 && at >= 0 && length >= 0;
  return isPossible && at + length * bytes <= memory.byteLength ? coveredBlocks(new Uint32Array(memory, at, length)) : new Set();
}
