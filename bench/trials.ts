import { join } from 'node:path';
import { benchReportSchema } from '../cli/commands/bench.ts';
import { packageRoot } from '../model/package-root.ts';
import type { BenchSite } from './site.ts';
import type { Row } from './table.ts';
import { runMeasured } from './usage.ts';

const RUN_TIMEOUT_MS = 3_600_000;
/** What the median trial should take at most. */
const AIM_MS = 60;

/** `scaleproof bench`: every scenario once, or one of them at a small scale. */
export async function measureTrials({ scale, say }: BenchSite): Promise<Row[]> {
  say('trials: scaleproof bench');
  const some = scale < 1 ? ['--scenario', 'scheduling/node-selectors'] : [];
  const args = [join(packageRoot(), 'bin/scaleproof.js'), 'bench', '--json', ...some];
  const { stdout } = await runMeasured(process.execPath, args, { timeout: RUN_TIMEOUT_MS });
  const { all } = benchReportSchema.parse(JSON.parse(stdout));
  const what = `median of ${all.trials} trials: CPU, ms`;
  return [{ what, ours: all.medianCpuMs, anchor: { name: 'aim', value: AIM_MS } }];
}
