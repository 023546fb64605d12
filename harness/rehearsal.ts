import { parentPort, workerData } from 'node:worker_threads';
import type { ModuleRef } from './load.ts';
import { loadScenario } from './load.ts';
import { rehearse } from './rehearse.ts';
import type { RehearsalMessage } from './rehearse.ts';

/** The thread that rehearses the scenarios of a user's module, and reports the first mistake. */

async function firstMistake(refs: readonly ModuleRef[]): Promise<string | undefined> {
  for (const ref of refs) {
    const scenario = await loadScenario(ref);
    send({ kind: 'loaded' });
    const mistake = await rehearse(scenario);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function send(message: RehearsalMessage): void {
  parentPort?.postMessage(message);
}

send({ kind: 'done', mistake: await firstMistake(workerData as readonly ModuleRef[]) });
