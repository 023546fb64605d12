import { Ec2Error } from '../../../clients/ec2-client.ts';
import { withDeadline } from '../../../clients/exchange.ts';
import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Wire } from '../../../wire/wire.ts';
import { LocalStackEndpoint, LocalStackError, newAccount } from './endpoint.ts';
import { GAPS } from './gaps.ts';
import type { Gap } from './gaps.ts';
import { ProbeBench } from './probe-bench.ts';

/** Time-out of all probes together. They take about 9 s on a busy machine. */
export const PROBES_TIMEOUT_MS = 120_000;

/** The result of a probe. */
export interface GapFinding {
  /** The gap's name in `gaps.ts`. */
  readonly gap: string;
  /** Whether the endpoint has it; undefined if the probe was inconclusive, with the reason as evidence. */
  readonly present: boolean | undefined;
  readonly evidence: string;
}

/** The findings about an endpoint. */
export interface EndpointReport {
  readonly endpoint: string;
  readonly version: string;
  /** In the order of `GAPS`. */
  readonly gaps: readonly GapFinding[];
}

/** Where to probe. */
export interface ProbeSite {
  /** e.g. `http://127.0.0.1:4566` */
  readonly endpoint: string;
  readonly region: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with the account before anything is created in it. */
  readonly onAccount?: (account: string) => void;
  /** When aborted, the current probe is the last. */
  readonly signal?: AbortSignal;
  /** By default over sockets to the endpoint. */
  readonly wire?: Wire;
  /** By default all. */
  readonly gaps?: readonly Gap[];
}

/**
 * Detects which gaps an endpoint has, in a new account that it cleans up.
 * @throws LocalStackError when the endpoint can't be used, or the probes don't finish
 */
export async function probeEndpoint({
  endpoint: url,
  region,
  clock,
  random,
  onAccount,
  signal,
  wire,
  gaps = GAPS,
}: ProbeSite): Promise<EndpointReport> {
  const endpoint = new LocalStackEndpoint({ url, region, clock, ...defined({ wire }) });
  const account = newAccount(random, clock.nowMs());
  const ec2 = endpoint.ec2(account);
  try {
    const version = await endpoint.check();
    onAccount?.(account);
    const findings = await withDeadline(clock, PROBES_TIMEOUT_MS, 'the probes', async (late) => {
      const bench = await ProbeBench.open(ec2, region);
      const found: GapFinding[] = [];
      for (const gap of gaps) {
        if (late.aborted || signal?.aborted === true) break;
        found.push(await probe(gap, bench));
      }
      await bench.close();
      return found;
    });
    return { endpoint: url, version, gaps: findings };
  } catch (error) {
    if (error instanceof LocalStackError) throw error;
    throw new LocalStackError(`LocalStack at ${url} can't be probed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    ec2.destroy();
    endpoint.destroy();
  }
}

async function probe({ name, probe: run }: Gap, bench: ProbeBench): Promise<GapFinding> {
  try {
    return { gap: name, ...(await run(bench)) };
  } catch (error) {
    if (!(error instanceof Ec2Error)) throw error;
    return { gap: name, present: undefined, evidence: `the probe failed: ${error.message}` };
  } finally {
    await bench.clear();
  }
}
