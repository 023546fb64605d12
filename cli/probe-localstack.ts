import type { EndpointFacts } from '../reports/report-input.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { CLUSTER } from '../world/embedded.ts';
import { GAPS } from '../world/real/localstack/gaps.ts';
import { probeEndpoint } from '../world/real/localstack/probes.ts';
import { addAccount } from '../world/kind/run-state.ts';
import type { Console } from './console.ts';

/** Seeds the names and tokens of the probes, whose values don't matter. */
const SEED = 1;

interface ProbeOptions {
  readonly clock: Clock;
  readonly console: Console;
  readonly signal: AbortSignal;
  /** The file that records the account of the probes. */
  readonly accountsFile: string;
}

/**
 * Finds out what an endpoint lacks, and prints it.
 * @throws LocalStackError when it can't be used
 */
export async function probeLocalStack(endpoint: string, { clock, console, signal, accountsFile }: ProbeOptions): Promise<EndpointFacts> {
  const onAccount = (account: string): void => addAccount(accountsFile, account);
  const report = await probeEndpoint({ endpoint, region: CLUSTER.region, clock, random: createRandom(SEED), onAccount, signal });
  signal.throwIfAborted();
  const gaps = report.gaps.map((finding) => ({ ...finding, ec2: GAPS.find(({ name }) => name === finding.gap)?.ec2 ?? '' }));
  const added = gaps.filter(({ present }) => present !== false).length;
  console.err(
    `LocalStack ${report.version} at ${endpoint}: ${added} of ${gaps.length} known gaps found; Scaleproof's EC2 in front of it fills them\n`,
  );
  return { ...report, gaps };
}
