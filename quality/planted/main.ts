import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { z } from 'zod';
import { Corpus } from '../../cli/explore/files.ts';
import { interruption } from '../../cli/interruption.ts';
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
const { out, corpus } = values;
if (out === undefined) throw new Error('--out is missing: name a directory for the results');
const [seconds, count, workers, seed] = [numberOf('seconds', 1), numberOf('count', 1), numberOf('workers', 1), numberOf('seed', 0)];
const searched = { limitSeconds: seconds, seed, corpus: describedCorpus() };
const withoutPrefix = (name: string): string => name.replace(/^mutant:/, '');
const names = mutants.map(({ target }) => withoutPrefix(target.name));
const chosen = values.mutant.map(withoutPrefix);
const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`--mutant ${unknown}: there is no such mutant; \`scaleproof list targets\` shows them`);
const order = createRandom(seed).shuffle(names);
const bugs = order.filter((name) => chosen.length === 0 || chosen.includes(name)).slice(0, count);

/** No search finds more problems of the reference than this before it gives up. */
const MAX_OF_REFERENCE = 5;
const SCALEPROOF = join(root, 'bin/scaleproof.js');
/** Exit codes of a search or run that worked: 3 if nothing could be judged. */
const WORKED = [0, 1, 3];
/** A shorter search would end before its first trial. */
const LEAST_SECONDS = 10;

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

// A mistake is told before hours of searches.
const earlier = new Map(bugs.flatMap((name) => (existsSync(pathOf(name)) ? [[name, readResult(pathOf(name))] as const] : [])));
let done = 0;
const interrupted = interruption();
const { signal } = interrupted;
try {
  const results = await inParallel(workers, bugs, async (name) => {
    if (signal.aborted) return undefined;
    const result = earlier.get(name) ?? (await searchFor(name));
    // What was cut off is no result.
    if (signal.aborted) return undefined;
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
  const { scenarios } = new Corpus(corpus);
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

function numberOf(name: 'seconds' | 'count' | 'workers' | 'seed', least: number): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`--${name} ${values[name]}: give a whole number from ${least}`);
  return value;
}

/** Searches until something is found that the reference passes, or the time is up. */
async function searchFor(name: string): Promise<PlantedResult> {
  const folder = join(out ?? '', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Each search begins with the same scenarios, and must not add to those of the others.
  const own = mkdtempSync(join(tmpdir(), 'scaleproof-planted-'));
  if (corpus !== undefined) cpSync(corpus, own, { recursive: true });
  const total = { mutant: name, searched, trials: 0, shrinkTrials: 0, seconds: 0 };
  const ofReference: string[] = [];
  const known = join(folder, 'known.json');
  try {
    while (seconds - total.seconds >= Math.min(LEAST_SECONDS, seconds) && ofReference.length < MAX_OF_REFERENCE) {
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
  const args = ['explore', '--target', `mutant:${name}`, '--for', `${Math.ceil(leftSeconds)}s`, '--seed', String(seed + number)];
  const more = ['--max-findings', '1', '--workers', '1', '--json', '--corpus', own, '--out', at];
  const knowing = existsSync(known) ? ['--known', known] : [];
  const { exitCode, stdout, stderr } = await execa(process.execPath, [SCALEPROOF, ...args, ...more, ...knowing], {
    reject: false,
    cancelSignal: signal,
    killSignal: 'SIGINT',
  });
  if (signal.aborted) return { seconds: 0, standing: { trials: 0, shrinkTrials: 0 }, found: [] };
  if (!WORKED.includes(exitCode ?? -1)) throw new Error(`the search for ${name} failed: ${stderr}`);
  return searchSchema.parse(JSON.parse(stdout));
}

/** Whether the reference passes a scenario. */
async function passes(path: string): Promise<boolean> {
  const own = mkdtempSync(join(tmpdir(), 'scaleproof-planted-run-'));
  try {
    const args = ['run', '--scenario', path, '--target', 'reference', '--no-crash-points', '--out', join(own, 'run')];
    const { exitCode, stderr } = await execa(process.execPath, [SCALEPROOF, ...args], {
      reject: false,
      cancelSignal: signal,
      killSignal: 'SIGINT',
    });
    if (signal.aborted) return false;
    if (!WORKED.includes(exitCode ?? -1)) throw new Error(`${path} could not be run with the reference: ${stderr}`);
    return exitCode === 0;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
