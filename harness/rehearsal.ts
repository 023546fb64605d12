import { parentPort, workerData } from 'node:worker_threads';
import type { ModuleRef } from './load.ts';
import { loadScenario } from './load.ts';
import { rehearse } from './rehearse.ts';

/** The thread that rehearses the scenarios of a user's module, and reports the first mistake. */

async function firstMistake(refs: readonly ModuleRef[]): Promise<string | undefined> {
  for (const ref of refs) {
    const mistake = await rehearse(await loadScenario(ref));
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

parentPort?.postMessage(await firstMistake(workerData as readonly ModuleRef[]));
