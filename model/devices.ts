import type { InstanceType } from './catalogue.ts';
import type { Resources } from './resources.ts';

/** The resource of NVIDIA's device plugin (https://github.com/NVIDIA/k8s-device-plugin): whole GPUs. */
export const NVIDIA_GPU = 'nvidia.com/gpu';

/** What device plugins add to a node of a type: its NVIDIA GPUs. Fractions of a GPU (g6f) and other devices are not offered. */
export function devicesOf({ gpu }: Pick<InstanceType, 'gpu'>): Resources {
  return gpu?.manufacturer === 'NVIDIA' && gpu.count > 0 ? { [NVIDIA_GPU]: gpu.count } : {};
}
