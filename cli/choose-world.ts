import { resolve } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import { UsageError } from './usage-error.ts';

/** The values of `--world`. */
export const WORLDS = ['embedded', 'existing'] as const;

/**
 * The world that the flags name.
 * @returns undefined for the embedded one
 * @throws UsageError when a flag is missing, or says nothing in this world
 */
export function chooseWorld(
  name: (typeof WORLDS)[number],
  { kubeconfig }: { readonly kubeconfig: string | undefined },
): WorldRef | undefined {
  if (name === 'embedded') {
    if (kubeconfig !== undefined)
      throw new UsageError('--kubeconfig names the cluster of --world existing; the embedded world has its own');
    return undefined;
  }
  if (kubeconfig === undefined) throw new UsageError('--world existing needs --kubeconfig FILE, as an administrator of that cluster');
  return { kind: 'existing', kubeconfig: resolve(kubeconfig) };
}
