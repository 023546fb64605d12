import { beside } from './beside.ts';
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

/** No target has this name. */
export class UnknownTargetError extends Error {
  readonly target: string;
  constructor(target: string) {
    super(`no target is named "${target}"`);
    this.name = 'UnknownTargetError';
    this.target = target;
  }
}

/**
 * A target of the catalogue by its name, or, with a name `A+B`, A with B beside it in the same cluster.
 * @throws UnknownTargetError that names the part which is not known; Error for parts that can't be together
 */
export function targetNamed(name: string): Target {
  const [first, second, ...more] = name.split('+').map((part) => {
    const found = targetCatalogue.find((target) => target.name === part);
    if (found === undefined) throw new UnknownTargetError(part);
    return found;
  });
  if (first === undefined) throw new UnknownTargetError(name);
  if (more.length > 0) throw new Error(`${name}: at most two autoscalers can be in one cluster`);
  return second === undefined ? first : beside(first, second);
}
