import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../model/package-root.ts';
import type { BenchSite } from './site.ts';
import type { Row } from './table.ts';
import { runMeasured } from './usage.ts';

const SIZES = [10, 100, 250, 500];
const RUN_TIMEOUT_MS = 1_800_000;
/** Its verdict does not matter here. */
const JUDGED = [0, 1, 3];

/** Clusters that grow to N nodes with a pod each and back to none, twice: the whole command, with judging and report. */
export async function measureClusters({ scale, say }: BenchSite): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    const nodes = Math.max(1, Math.round(size * scale));
    say(`clusters: ${nodes} nodes`);
    const folder = await mkdtemp(join(tmpdir(), 'scaleproof-bench-'));
    try {
      const options = ['--scenario', 'provisioning/two-cycles', '--nodes', String(nodes), '--no-crash-points', '--workers', '1'];
      const args = [join(packageRoot(), 'bin/scaleproof.js'), 'run', ...options];
      const { cpuMs } = await runMeasured(process.execPath, args, { cwd: folder, timeout: RUN_TIMEOUT_MS, mayExitWith: JUDGED });
      const value = { absent: 'it claims 5,000 nodes Ready in 60 s' };
      rows.push({ what: `two-cycles with ${nodes} nodes: CPU, s`, ours: cpuMs / 1_000, anchor: { name: 'KWOK', value } });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return rows;
}
