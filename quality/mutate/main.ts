import { writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { Corpus } from '../../cli/explore/files.ts';
import { interruption } from '../../cli/interruption.ts';
import { wholeNumber } from '../whole-number.ts';
import { DEFAULT_WORKERS, mutate } from './mutate.ts';
import { mutationReportSchema } from './outcome.ts';
import { formatReport } from './report.ts';

/**
 * Plants random faults into the bundled controller, and says which of them the suites find (docs/mutation.md):
 *
 *     npm run mutate -- [--count 20] [--seed 1] [--scenario ID ...] [--file controller/... ...] [--mutant NUMBER ...] [--trial-seeds N]
 *       [--corpus DIR] [--search-seconds N] [--workers N] [--crash-points] [--out FILE]
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    scenario: { type: 'string', multiple: true, default: [] },
    file: { type: 'string', multiple: true, default: [] },
    'trial-seeds': { type: 'string', default: '1' },
    workers: { type: 'string', default: String(DEFAULT_WORKERS) },
    'crash-points': { type: 'boolean', default: false },
    'search-seconds': { type: 'string', default: '0' },
    mutant: { type: 'string', multiple: true, default: [] },
    corpus: { type: 'string' },
    out: { type: 'string' },
  },
});

const whole = (name: 'count' | 'seed' | 'workers' | 'trial-seeds' | 'search-seconds', least: number): number =>
  wholeNumber(name, values[name], least);

// Each mutant has a process of its own, which then starts in half the time.
enableCompileCache();
const interrupted = interruption();
try {
  const report = await mutate({
    count: whole('count', 1),
    seed: whole('seed', 0),
    trialSeeds: whole('trial-seeds', 1),
    workers: whole('workers', 1),
    scenarios: values.scenario,
    files: values.file,
    only: values.mutant.map(Number),
    generated: values.corpus === undefined ? [] : new Corpus(values.corpus).scenarios,
    searchMs: whole('search-seconds', 0) * 1_000,
    crashPoints: values['crash-points'],
    signal: interrupted.signal,
    say: (line) => process.stderr.write(line),
  });
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(mutationReportSchema.parse(report), undefined, 2)}\n`);
  console.log(formatReport(report));
} finally {
  interrupted.release();
}
