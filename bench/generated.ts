import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from '../model/package-root.ts';
import type { BenchSite } from './site.ts';
import type { Row } from './table.ts';
import { runMeasured } from './usage.ts';

const TRIALS = 512;
const RUN_TIMEOUT_MS = 3_600_000;
/** Whether something is found does not matter here. */
const SEARCHED = [0, 1];
/** What a trial should take at most, and how many there should be. */
const AIM = { cpuMs: 80, perMinute: 1_500 } as const;

const summarySchema = z.looseObject({
  seconds: z.number(),
  standing: z.looseObject({ trials: z.number().positive(), shrinkTrials: z.number() }),
});

/** `scaleproof explore`: the whole command, with drawing, judging and what makes findings smaller, on all cores. */
export async function measureGenerated({ scale, say }: BenchSite): Promise<Row[]> {
  const most = Math.max(1, Math.round(TRIALS * scale));
  say(`generated: a search of ${most} trials`);
  const folder = await mkdtemp(join(tmpdir(), 'scaleproof-bench-'));
  try {
    const args = [join(packageRoot(), 'bin/scaleproof.js'), 'explore', '--trials', String(most), '--json', '--out', join(folder, 'out')];
    const { cpuMs, stdout } = await runMeasured(process.execPath, args, { cwd: folder, timeout: RUN_TIMEOUT_MS, mayExitWith: SEARCHED });
    const { seconds, standing } = summarySchema.parse(JSON.parse(stdout));
    const trials = standing.trials + standing.shrinkTrials;
    return [
      { what: `mean of ${trials} generated trials: CPU, ms`, ours: cpuMs / trials, anchor: { name: 'aim', value: AIM.cpuMs } },
      { what: 'generated trials a minute', ours: (60 * trials) / seconds, anchor: { name: 'aim', value: AIM.perMinute } },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
