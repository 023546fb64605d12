import type { Resources } from '../model/resources.ts';

/** CPU and memory, as histories record them for pods and nodes. */
export interface Compute {
  readonly cpuMilli: number;
  readonly memoryMiB: number;
}

const BYTES_PER_MIB = 2 ** 20;

export function computeOf(resources: Resources): Compute {
  return { cpuMilli: resources['cpu'] ?? 0, memoryMiB: (resources['memory'] ?? 0) / BYTES_PER_MIB };
}

const NO_COMPUTE: Compute = { cpuMilli: 0, memoryMiB: 0 };

/** The sum of some amounts. */
export function sumCompute(amounts: readonly Compute[]): Compute {
  return amounts.reduce(
    (sum, { cpuMilli, memoryMiB }) => ({ cpuMilli: sum.cpuMilli + cpuMilli, memoryMiB: sum.memoryMiB + memoryMiB }),
    NO_COMPUTE,
  );
}
