import { resolve } from 'node:path';
import type { WorldRef } from '../harness/world-for.ts';
import { defined } from '../model/defined.ts';
import { UsageError } from './usage-error.ts';

/** The values of `--world`. */
export const WORLDS = ['embedded', 'kind', 'existing'] as const;

/** The values of `--machines`. */
export const MACHINES = ['real', 'quick'] as const;

/**
 * The world that the flags name.
 * @returns undefined for the embedded world with its usual machines
 * @throws UsageError when a flag is missing, or does not apply to this world
 */
export function chooseWorld(
  name: Exclude<(typeof WORLDS)[number], 'kind'>,
  {
    kubeconfig,
    awsEndpoint,
    machines,
  }: {
    readonly kubeconfig?: string | undefined;
    readonly awsEndpoint?: string | undefined;
    readonly machines?: (typeof MACHINES)[number] | undefined;
  },
): WorldRef | undefined {
  if (name === 'embedded') {
    if (kubeconfig !== undefined) throw new UsageError('--kubeconfig is for --world existing; the embedded world has its own API server');
    if (awsEndpoint !== undefined) throw new UsageError('--aws-endpoint is for --world existing; the embedded world has its own EC2');
    return machines === 'quick' ? { kind: 'embedded', machines } : undefined;
  }
  if (kubeconfig === undefined) throw new UsageError('--world existing needs --kubeconfig FILE, as an administrator of that cluster');
  if (awsEndpoint !== undefined && !isHttpUrl(awsEndpoint))
    throw new UsageError(`--aws-endpoint ${awsEndpoint}: not the URL of a LocalStack, such as http://127.0.0.1:4566`);
  return { kind: 'existing', kubeconfig: resolve(kubeconfig), ...defined({ awsEndpoint }) };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}
