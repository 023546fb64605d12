import { Ec2Error } from '../../clients/ec2-client.ts';
import { KubeError } from '../../clients/kube-client.ts';
import type { Log } from '../../runtime/log.ts';
import { ConfigError } from './groups.ts';

/** Runs a part of a scan. API errors are logged and left to the next scan: undefined. Any other error is a bug. */
export async function attempt<T>(log: Log, failure: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof KubeError || error instanceof Ec2Error || error instanceof ConfigError)) throw error;
    log('warn', `${failure}: ${error.message}`);
    return undefined;
  }
}
