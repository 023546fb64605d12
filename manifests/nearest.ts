/** How many letters of a word may be wrong: one in this many, and at least two. */
const LETTERS_PER_MISTAKE = 4;
const MISTAKES = 2;

/** The candidate that a misspelt word most likely means, ignoring case; the first of several; undefined if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(MISTAKES, Math.floor(word.length / LETTERS_PER_MISTAKE));
  const distances = candidates.map((candidate) => editDistance(word.toLowerCase(), candidate.toLowerCase()));
  const least = Math.min(...distances);
  return least <= most ? candidates[distances.indexOf(least)] : undefined;
}

/** The Levenshtein distance: the fewest insertions, deletions and substitutions of one character that turn one text into the other. */
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
