import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { anchorFolder } from './site.ts';
import type { Measured } from './table.ts';
import { lastLine, runMeasured } from './usage.ts';

const VERSION = 'v1.14.1';
const MODULE = `sigs.k8s.io/karpenter@${VERSION}`;
const PACKAGE = 'pkg/controllers/provisioning/scheduling';
/** The first build compiles client-go, controller-runtime and Karpenter. */
const BUILD_TIMEOUT_MS = 1_800_000;
const RUN_TIMEOUT_MS = 900_000;
const REPEATS = 3;

export const KARPENTER = `Karpenter core ${VERSION.slice(1)}`;

/** Karpenter's own benchmark as a program, and the folder to run it in. */
interface Program {
  readonly program: string;
  readonly folder: string;
}

/**
 * Runs `BenchmarkSchedulingN` of Karpenter core. Its processor time has that of the preparation taken off, as far as a benchmark with
 * one pod has it, too.
 * @returns pods a second of processor time
 */
export async function measureKarpenter(pods: number, say: (line: string) => void): Promise<Measured> {
  const built = await build(say);
  if ('absent' in built) return built;
  say(`solver: ${KARPENTER}, ${pods} pods`);
  const [base, all] = [await run(built, 1), await run(built, pods)];
  return (pods * REPEATS * 1_000) / (all - base);
}

/** @returns its processor time in ms */
async function run({ program, folder }: Program, pods: number): Promise<number> {
  const args = ['-test.run=XXX', `-test.bench=^BenchmarkScheduling${pods}$`, '-test.benchtime=1x', `-test.count=${REPEATS}`];
  return (await runMeasured(program, args, { cwd: folder, timeout: RUN_TIMEOUT_MS })).cpuMs;
}

async function build(say: (line: string) => void): Promise<Program | { readonly absent: string }> {
  const folder = anchorFolder(`karpenter-${VERSION}`);
  await mkdir(folder, { recursive: true });
  const options = { cwd: folder, reject: false, timeout: BUILD_TIMEOUT_MS } as const;
  const found = await execa('go', ['mod', 'download', '-json', MODULE], options);
  if (found.failed)
    return { absent: found.code === 'ENOENT' ? 'Go is not installed' : `its source can't be downloaded: ${lastLine(found.stderr)}` };
  const { Dir: sources } = z.object({ Dir: z.string() }).parse(JSON.parse(found.stdout));
  const program = join(folder, 'scheduling.test');
  if (!existsSync(program)) {
    say(`solver: building ${KARPENTER}, which takes some minutes`);
    const built = await execa('go', ['test', '-c', '-tags=test_performance', '-o', program, `./${PACKAGE}`], { ...options, cwd: sources });
    if (built.failed) return { absent: `it can't be built: ${lastLine(built.stderr)}` };
  }
  return { program, folder: join(sources, PACKAGE) };
}
