import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseTarget } from '../../cli/choose.ts';
import { Corpus, scenarioPath, writeScenario } from '../../cli/explore/files.ts';
import { interruption } from '../../cli/interruption.ts';
import type { ScenarioData } from '../../explore/scenario-data.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { mutants } from '../../targets/mutants/catalogue.ts';
import { inParallel } from '../in-parallel.ts';
import { searchContrast } from '../search-contrast.ts';
import { wholeNumber } from '../whole-number.ts';
import { plantedResultSchema, resultLine, totalsOf } from './result.ts';
import type { PlantedResult } from './result.ts';

/**
 * Searches for each planted bug with the explorer, in an order drawn with the seed, and says how many it finds (docs/explore.md). What is
 * in the directory already is not searched for again, so that an interrupted run can go on:
 *
 *     npm run planted -- --out DIR [--seconds 300] [--seed 1] [--corpus DIR] [--mutant NAME ...] [--count N] [--workers N]
 */
const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    corpus: { type: 'string' },
    mutant: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: String(mutants.length) },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const { out, corpus } = values;
if (out === undefined) throw new Error('--out is missing: name a directory for the results');
const [seconds, count] = [wholeNumber('seconds', values.seconds, 1), wholeNumber('count', values.count, 1)];
const [workers, seed] = [wholeNumber('workers', values.workers, 1), wholeNumber('seed', values.seed, 0)];
const { scenarios } = new Corpus(corpus);
const searched = { limitSeconds: seconds, seed, corpus: describedCorpus() };
const withoutPrefix = (name: string): string => name.replace(/^mutant:/, '');
const names = mutants.map(({ target }) => withoutPrefix(target.name));
const chosen = values.mutant.map(withoutPrefix);
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`--mutant ${unknown}: there is no such mutant; \`scaleproof list targets\` shows them`);
const order = createRandom(seed).shuffle(names);
const bugs = order.filter((name) => chosen.length === 0 || chosen.includes(name)).slice(0, count);

// A mistake is told before hours of searches.
const earlier = new Map(bugs.flatMap((name) => (existsSync(pathOf(name)) ? [[name, readResult(pathOf(name))] as const] : [])));
let done = 0;
const interrupted = interruption();
const { signal } = interrupted;
const clock = createRealTimeline().scope('planted');
const sound = { target: chooseTarget('reference') };
try {
  const results = await inParallel(workers, bugs, async (name) => {
    if (signal.aborted) return undefined;
    const result = earlier.get(name) ?? (await searchFor(name));
    // What was cut off is no result.
    if (signal.aborted) return undefined;
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), `${JSON.stringify(result, undefined, 2)}\n`);
    done += 1;
    process.stderr.write(`${done} of ${bugs.length}: ${resultLine(result)}\n`);
    return result;
  });
  console.log(totalsOf(results.filter((result) => result !== undefined)));
} finally {
  interrupted.release();
}

function pathOf(name: string): string {
  return join(out ?? '', name, 'result.json');
}

function describedCorpus(): string {
  const digest = createHash('sha256').update(JSON.stringify(scenarios)).digest('hex').slice(0, 12);
  return scenarios.length === 0 ? 'none' : `${scenarios.length} scenarios, ${digest}`;
}

/** @throws Error when it is of a search with other options */
function readResult(path: string): PlantedResult {
  const result = plantedResultSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  const now = JSON.stringify(searched);
  const then = result.success ? JSON.stringify(result.data.searched) : 'an unknown format';
  if (result.success && then === now) return result.data;
  throw new Error(`${path} is of a search with ${then}, and this is one with ${now}: give another --out, or remove it`);
}

/** Searches until something is found that the reference passes, or the time is up. */
async function searchFor(name: string): Promise<PlantedResult> {
  const folder = join(out ?? '', name);
  rmSync(folder, { recursive: true, force: true });
  const faulty = { target: chooseTarget(`mutant:${name}`) };
  const limitMs = seconds * 1_000;
  const { found, common, ...how } = await searchContrast({ faulty, sound, seed: String(seed), corpus: scenarios, clock, signal, limitMs });
  const written = (data: ScenarioData): string => {
    writeScenario(folder, data);
    return relative(out ?? '', scenarioPath(folder, data.name));
  };
  const result = { mutant: name, searched, ...how, ofReference: common.map(written) };
  if (found === undefined) return result;
  const { cause, afterTrials, data } = found;
  const { faults, workloads, pools, steps } = data;
  const size = { faults: faults.length, workloads: workloads.length, pools: pools.length, steps: steps.length };
  return { ...result, found: { check: cause.check, code: cause.code, afterTrials, ...size, scenario: written(data) } };
}
