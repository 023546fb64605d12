/** A name whose distance is more than this share of its length, without units, is not suggested. */
const MAX_DISTANCE = 0.5;

/** The known name that was probably meant; undefined if none is close. Units at the end of a name are ignored. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/(ms|s|seconds|minutes)$/, '');
  const near = known
    .map((candidate) => ({ candidate, distance: distanceOf(plain(name), plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= MAX_DISTANCE * plain(candidate).length)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** The Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries()) {
      next.push(Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
