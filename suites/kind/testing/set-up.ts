import { mkdirSync } from 'node:fs';
import { interruption } from '../../../cli/interruption.ts';
import { processConsole } from '../../../cli/console.ts';
import { provideWorld } from '../../../cli/provide-world.ts';
import { announce, clustersWanted, ec2Wanted } from './world.ts';

/** Where logs of clusters that fail to start are. */
const DIRECTORY = 'runs/test-kind-logs';

/** Creates the clusters before the first test. @returns a function that deletes them after the last one */
export default async function setUp(): Promise<() => Promise<void>> {
  const flags = { kubeconfig: undefined, awsEndpoint: undefined, ec2: ec2Wanted(), keep: false, reuse: undefined };
  const { host } = provideWorld('kind', { ...flags, clusters: clustersWanted() }, processConsole());
  if (host === undefined) throw new Error('the kind world has no host');
  const interrupted = interruption();
  const down = (): Promise<void> => host.down({ logs: undefined });
  try {
    mkdirSync(DIRECTORY, { recursive: true });
    announce(await host.up({ signal: interrupted.signal, directory: DIRECTORY }));
    return down;
  } catch (error) {
    await down();
    throw error;
  } finally {
    interrupted.release();
  }
}
