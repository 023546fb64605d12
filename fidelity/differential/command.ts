import { parseArgs } from 'node:util';
import { readKubeconfig } from '../../clients/kubeconfig.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import type { Wire } from '../../wire/wire.ts';

/** The options of the recording commands. */
export interface Options {
  /** Of the cluster to use; without it the answers come from the recording. */
  readonly kubeconfig: string | undefined;
  /** Runs the real part in virtual time instead, where that is possible. */
  readonly virtual: boolean;
  readonly seed: string;
  readonly count: number;
  /** Writes the answers to the recording. */
  readonly write: boolean;
  /** Also prints the requests of differences. */
  readonly verbose: boolean;
  /** Runs only the cases that differ in the recording. */
  readonly differing: boolean;
}

export function readOptions(defaults: { readonly seed: string; readonly count: number }): Options {
  const { values } = parseArgs({
    options: {
      kubeconfig: { type: 'string' },
      virtual: { type: 'boolean', default: false },
      seed: { type: 'string', default: defaults.seed },
      count: { type: 'string', default: String(defaults.count) },
      write: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      differing: { type: 'boolean', default: false },
    },
  });
  return { ...values, kubeconfig: values.kubeconfig, count: Number(values.count) };
}

/** Runs `work` with a real cluster. Ctrl-C aborts the signal. */
export async function withCluster<T>(kubeconfig: string, work: (wire: Wire, clock: Clock, signal: AbortSignal) => Promise<T>): Promise<T> {
  const http = createHttpWire(await readKubeconfig(kubeconfig));
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  try {
    return await work(http.wire, createRealTimeline().scope('client'), stopping.signal);
  } finally {
    http.destroy();
  }
}
