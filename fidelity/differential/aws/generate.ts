import { createRandom } from '../../../runtime/random.ts';
import { Draft } from './draft.ts';
import { addInstanceCall } from './instances.ts';
import { addQueueCall } from './queue.ts';
import type { Script } from './script.ts';
import { addTemplateCall } from './templates.ts';

/** The seed of the recorded scripts. */
export const SEED = 'ec2-1';
export const SCRIPTS = 400;

const TOPICS = [addInstanceCall, addInstanceCall, addInstanceCall, addTemplateCall, addTemplateCall, addQueueCall];
const STEPS = { min: 3, max: 8 } as const;

/** The first `count` scripts of a seed. */
export function scripts(seed: string = SEED, count: number = SCRIPTS): Script[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const id = `e${index}`;
    const own = random.fork(id);
    const draft = new Draft(own);
    const addCall = own.pick(TOPICS);
    for (let left = own.int(STEPS.min, STEPS.max); left > 0; left -= 1) addCall(draft);
    return { id, steps: draft.steps };
  });
}
