import { createRandom } from '../../../../runtime/random.ts';
import type { Random } from '../../../../runtime/random.ts';
import { evictions } from './evictions.ts';
import { NAMESPACES } from './script.ts';
import type { Script } from './script.ts';
import { sequence } from './sequence.ts';

/** The seed of the recorded scripts. */
export const SEED = 'api-2';
export const SCRIPTS = 1_800;

/** The scripts of a seed. */
export function scripts(seed: string = SEED, count: number = SCRIPTS): Script[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => script(random.fork(String(index)), index));
}

function script(random: Random, index: number): Script {
  const id = `r${index}`;
  const namespace = NAMESPACES[index % NAMESPACES.length] ?? 'default';
  // Every seventh script is about evictions, which need a budget and pods.
  return { id, steps: index % 7 === 3 ? evictions(random, id, namespace) : sequence(random, id, namespace) };
}
