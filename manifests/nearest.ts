/** Of a word's letters, how many may be wrong for another still to be what was meant: one in so many, and two at least. */
const LETTERS_PER_MISTAKE = 4;
const MISTAKES = 2;

/** The candidate that a misspelt word most likely means, letter case aside; of several the first; undefined if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(MISTAKES, Math.floor(word.length / LETTERS_PER_MISTAKE));
  const distances = candidates.map((candidate) => editDistance(word.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  return least <= most ? candidates[distances.indexOf(least)] : undefined;
}

/** Levenshtein's: the fewest insertions, deletions and substitutions of one character that make one text of the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const kept = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
