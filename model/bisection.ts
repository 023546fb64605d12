/** Enough halvings of the unit interval to reach adjacent doubles. */
const MAX_HALVINGS = 200;

/**
 * Where a rising function crosses a level.
 * @param rising must not fall on [low, high]
 * @returns the smallest double found at which it is at least the level; `high` if it never is
 */
export function bisect(rising: (x: number) => number, level: number, low: number, high: number): number {
  let [below, above] = [low, high];
  for (let halving = 0; halving < MAX_HALVINGS; halving += 1) {
    const middle = (below + above) / 2;
    if (middle <= below || middle >= above) break;
    if (rising(middle) >= level) above = middle;
    else below = middle;
  }
  return above;
}
