import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRealTimeline } from '../runtime/timeline.ts';
import { runReportSchema } from '../reports/run-report.ts';
import { sources } from '../suites/catalogue.ts';
import { scaleproof, start } from '../cli/testing/command.ts';
import { historiesOf } from '../cli/testing/files.ts';

/**
 * Runs scenarios of all suites twice, as users do: on the machine as it is, and beside busy processes. Different verdicts, or different
 * bytes of a history, are exit code 1:
 *
 *     npx node quality/compare-loads.ts [--target reference] [--scenarios 20] [--busy 30] [--seed 1]
 */
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'reference' },
    scenarios: { type: 'string', default: '20' },
    busy: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
  },
});
const count = Math.min(Number(values.scenarios), sources.length);
// Every so many, so that all suites take part.
const chosen = Array.from({ length: count }, (_, index) => sources[Math.floor((index * sources.length) / count)]?.scenario.id ?? '');
const clock = createRealTimeline().scope('compare');

/** What a run leaves, by file name and by scenario. */
interface Run {
  readonly histories: Readonly<Record<string, string>>;
  readonly verdicts: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(join(tmpdir(), 'scaleproof-loads-'));
try {
  const before = await run('as it is');
  const busy = Array.from({ length: Number(values.busy) }, () => start(process.execPath, ['--eval', 'for (;;);'], folder));
  const after = await run(`beside ${busy.length} busy processes`).finally(async () => {
    for (const { child } of busy) child.kill('SIGKILL');
    await Promise.all(busy.map(({ finished }) => finished));
  });
  const differing = chosen.filter((id) => before.verdicts[id] !== after.verdicts[id]);
  const names = [...new Set([before, after].flatMap(({ histories }) => Object.keys(histories)))];
  const unlike = names.filter((name) => before.histories[name] !== after.histories[name]);
  for (const id of differing) console.log(`${id}: ${before.verdicts[id]}, then ${after.verdicts[id]}`);
  for (const name of unlike) console.log(`${name}: other bytes`);
  const bytes = Object.values(before.histories).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  console.log(
    `${chosen.length - differing.length} of ${chosen.length} verdicts and ${names.length - unlike.length} of ${names.length} histories are the same: ${bytes} bytes`,
  );
  process.exitCode = differing.length + unlike.length > 0 || names.length < chosen.length ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(what: string): Promise<Run> {
  const out = join(folder, what.replaceAll(' ', '-'));
  const begunMs = clock.monotonicMs();
  const flags = chosen.flatMap((id) => ['--scenario', id]);
  const { stderr } = await scaleproof(['run', '--target', values.target, '--seed', values.seed, ...flags, '--out', out], process.cwd());
  const tookMs = clock.monotonicMs() - begunMs;
  let report;
  try {
    report = runReportSchema.parse(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')));
  } catch (error) {
    throw new Error(`there is no report of the run ${what}: ${stderr}`, { cause: error });
  }
  const verdicts = Object.fromEntries(report.scenarios.map(({ id, verdict }) => [id, verdict]));
  const counts = Object.entries(Object.groupBy(Object.values(verdicts), (verdict) => verdict)).map(
    ([verdict, all = []]) => `${all.length} ${verdict}`,
  );
  console.log(`${what}: ${counts.join(', ')} in ${(tookMs / 1_000).toFixed(0)} s, load ${loadavg()[0]?.toFixed(1)}`);
  return { histories: historiesOf(out), verdicts };
}
