import type { ResourceList } from '../../model/kube.ts';
import { QuantityError, formatQuantity, parseQuantity } from '../../model/quantity.ts';
import { badRequest } from '../../protocols/kube/status.ts';

const PATTERN = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';

/**
 * Quantities in their canonical form, as the API server stores them: `1000m` becomes `1`, numbers become text.
 * @param owner kind and version of the object, for the refusal
 * @throws StatusError 400 with the real decoder's message for a malformed quantity
 */
export function canonicalQuantities(amounts: ResourceList | undefined, owner: string): ResourceList | undefined {
  // Go omits empty lists.
  if (amounts === undefined || Object.keys(amounts).length === 0) return undefined;
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, canonical(String(amount), owner)]));
}

function canonical(amount: string, owner: string): string {
  try {
    return formatQuantity(parseQuantity(amount));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw badRequest(`${owner}: quantities must match the regular expression '${PATTERN}'`);
  }
}
