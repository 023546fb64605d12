import type { EndpointFacts } from '../reports/report-input.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { CLUSTER } from '../world/embedded.ts';
import { GAPS } from '../world/real/localstack/gaps.ts';
import { probeEndpoint } from '../world/real/localstack/probes.ts';
import type { Console } from './console.ts';

/** The probes' names and tokens: which ones does not matter. */
const SEED = 1;

/**
 * Finds out what an endpoint lacks, and says so.
 * @throws LocalStackError when it can't be used
 */
export async function probeLocalStack(
  endpoint: string,
  { clock, console, signal }: { readonly clock: Clock; readonly console: Console; readonly signal: AbortSignal },
): Promise<EndpointFacts> {
  const report = await probeEndpoint({ endpoint, region: CLUSTER.region, clock, random: createRandom(SEED) });
  signal.throwIfAborted();
  const gaps = report.gaps.map((finding) => ({ ...finding, ec2: GAPS.find(({ name }) => name === finding.gap)?.ec2 ?? '' }));
  const added = gaps.filter(({ present }) => present !== false).length;
  console.err(
    `LocalStack ${report.version} at ${endpoint}: ${added} of ${gaps.length} known gaps are there; Scaleproof's EC2 in front of it fills them\n`,
  );
  return { ...report, gaps };
}
