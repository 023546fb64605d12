import { createMarkets } from '../../../controller/capacity/markets.ts';
import type { Context } from '../../../controller/context.ts';

/** A context whose markets learn nothing: what is made from it concludes nothing from refusals about other offerings. */
export function withoutMarkets(context: Context): Context {
  return { ...context, markets: createMarkets(context.runtime.clock, () => undefined, 0) };
}
