import { mutants } from './mutants/catalogue.ts';
import { plain } from './plain.ts';
import { reference } from './reference.ts';
import type { Target } from './target.ts';

/** Everything that can be tested by name. */
export const targetCatalogue: readonly Target[] = [
  reference,
  reference.quick,
  plain,
  ...mutants.flatMap(({ target }) => [target, target.quick]),
];
