import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { z } from 'zod';
import { causeSchema } from '../../explore/findings.ts';
import { createRandom } from '../../runtime/random.ts';
import { mutants } from '../../targets/mutants/catalogue.ts';
import { inParallel } from '../in-parallel.ts';
import { root } from '../sources.ts';
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
const { out, seed, corpus, mutant: chosen } = values;
if (out === undefined) throw new Error('--out is missing: name a directory for the results');
const [seconds, count, workers] = [numberOf('seconds'), numberOf('count'), numberOf('workers')];
const names = mutants.map(({ target }) => target.name.replace(/^mutant:/, ''));
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`--mutant ${unknown}: there is no such mutant; \`scaleproof list mutants\` shows them`);
const order = createRandom(Number(seed)).shuffle(names);
const searched = order.filter((name) => chosen.length === 0 || chosen.includes(name)).slice(0, count);

/** No search finds more problems of the reference than this before it gives up. */
const MAX_OF_REFERENCE = 5;
const SCALEPROOF = join(root, 'bin/scaleproof.js');
/** Exit codes of a search that worked, and of a run with a verdict. */
const JUDGED = [0, 1];

const searchSchema = z.looseObject({
  seconds: z.number(),
  standing: z.looseObject({ trials: z.int(), shrinkTrials: z.int() }),
  found: z.array(
    z.looseObject({
      cause: causeSchema,
      afterTrials: z.int(),
      data: z.looseObject({
        name: z.string(),
        faults: z.array(z.unknown()),
        workloads: z.array(z.unknown()),
        pools: z.array(z.unknown()),
        steps: z.array(z.unknown()),
      }),
    }),
  ),
});

let done = 0;
const results = await inParallel(workers, searched, async (name) => {
  const folder = join(out, name);
  const path = join(folder, 'result.json');
  const result = existsSync(path) ? plantedResultSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : await searchFor(name, folder);
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  done += 1;
  process.stderr.write(`${done} of ${searched.length}: ${resultLine(result)}\n`);
  return result;
});
console.log(totalsOf(results));

function numberOf(name: 'seconds' | 'count' | 'workers'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} ${values[name]}: give a whole number from 1`);
  return value;
}

/** Searches until something is found that the reference passes, or the time is up. */
async function searchFor(name: string, folder: string): Promise<PlantedResult> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Each search begins with the same scenarios, and must not add to those of the others.
  const own = mkdtempSync(join(tmpdir(), 'scaleproof-planted-'));
  if (corpus !== undefined) cpSync(corpus, own, { recursive: true });
  const total = { mutant: name, trials: 0, shrinkTrials: 0, seconds: 0 };
  const ofReference: string[] = [];
  const known = join(folder, 'known.json');
  try {
    while (total.seconds < seconds && ofReference.length < MAX_OF_REFERENCE) {
      const at = join(folder, `search-${ofReference.length + 1}`);
      const search = await searchOnce(name, { at, known, own, leftSeconds: seconds - total.seconds, number: ofReference.length });
      const { found, standing } = search;
      total.trials += standing.trials;
      total.shrinkTrials += standing.shrinkTrials;
      total.seconds += search.seconds;
      const [first] = found;
      if (first === undefined) break;
      const { cause, afterTrials, data } = first;
      const path = join(at, 'scenarios', `${data.name}.json`);
      const scenario = relative(out ?? '', path);
      if (await passes(path)) {
        const size = {
          faults: data.faults.length,
          workloads: data.workloads.length,
          pools: data.pools.length,
          steps: data.steps.length,
        };
        const before = total.trials - standing.trials;
        const { check, code } = cause;
        return { ...total, found: { check, code, afterTrials: before + afterTrials, ...size, scenario }, ofReference };
      }
      ofReference.push(scenario);
      cpSync(join(at, 'findings.json'), known);
    }
    return { ...total, ofReference };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

async function searchOnce(
  name: string,
  how: {
    readonly at: string;
    readonly known: string;
    readonly own: string;
    readonly leftSeconds: number;
    /** Of the searches for this bug: a later one goes on elsewhere. */
    readonly number: number;
  },
): Promise<z.infer<typeof searchSchema>> {
  const { at, known, own, leftSeconds, number } = how;
  const args = ['explore', '--target', `mutant:${name}`, '--for', `${Math.ceil(leftSeconds)}s`, '--seed', String(Number(seed) + number)];
  const more = ['--max-findings', '1', '--workers', '1', '--json', '--corpus', own, '--out', at];
  const knowing = existsSync(known) ? ['--known', known] : [];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [SCALEPROOF, ...args, ...more, ...knowing], { reject: false });
  if (!JUDGED.includes(exitCode ?? -1)) throw new Error(`the search for ${name} failed: ${stderr}`);
  return searchSchema.parse(JSON.parse(stdout));
}

/** Whether the reference passes a scenario. */
async function passes(path: string): Promise<boolean> {
  const own = mkdtempSync(join(tmpdir(), 'scaleproof-planted-run-'));
  try {
    const args = ['run', '--scenario', path, '--target', 'reference', '--no-crash-points', '--out', join(own, 'run')];
    const { exitCode, stderr } = await execa(process.execPath, [SCALEPROOF, ...args], { reject: false });
    if (!JUDGED.includes(exitCode ?? -1)) throw new Error(`${path} could not be run with the reference: ${stderr}`);
    return exitCode === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
