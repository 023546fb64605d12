import { isJsonObject } from './json.ts';

/** What identifies a list element: the value of its merge key, or the scalar itself. */
export function identityOf(element: unknown, mergeKey: string): unknown {
  return mergeKey !== '' && isJsonObject(element) ? element[mergeKey] : element;
}

/**
 * Orders a merged list: elements of the patch in the patch's order, the server's other elements in the server's order, and both
 * interleaved so that the server's elements keep their relative order (`normalizeElementOrder`).
 */
export function orderElements(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  server: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const patchRank = ranks(patchOrder, mergeKey);
  const serverRank = ranks(server, mergeKey);
  const rankIn = (rank: ReadonlyMap<unknown, number>, element: unknown): number | undefined => rank.get(identityOf(element, mergeKey));
  const sorted = (elements: readonly unknown[], rank: ReadonlyMap<unknown, number>): unknown[] =>
    [...elements].sort((a, b) => (rankIn(rank, a) ?? rank.size) - (rankIn(rank, b) ?? rank.size));
  const inPatch = sorted(
    merged.filter((element) => rankIn(patchRank, element) !== undefined),
    patchRank,
  );
  const serverOnly = sorted(
    merged.filter((element) => rankIn(patchRank, element) === undefined),
    serverRank,
  );
  const result: unknown[] = [];
  let [left, right] = [0, 0];
  while (left < serverOnly.length || right < inPatch.length) {
    const l = left < serverOnly.length ? rankIn(serverRank, serverOnly[left]) : undefined;
    const r = right < inPatch.length ? rankIn(serverRank, inPatch[right]) : undefined;
    const isLeft = right >= inPatch.length || (left < serverOnly.length && l !== undefined && r !== undefined && l < r);
    result.push(isLeft ? serverOnly[left] : inPatch[right]);
    if (isLeft) left += 1;
    else right += 1;
  }
  return result;
}

function ranks(order: readonly unknown[], mergeKey: string): Map<unknown, number> {
  return new Map(order.map((element, index) => [identityOf(element, mergeKey), index]));
}
