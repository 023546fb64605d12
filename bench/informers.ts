import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { packageRoot } from '../model/package-root.ts';
import type { Filled } from './servers.ts';
import { anchorFolder } from './site.ts';
import { mean, median } from './table.ts';
import type { Row } from './table.ts';
import { lastLine } from './usage.ts';

/** The first build compiles client-go. */
const BUILD_TIMEOUT_MS = 1_800_000;
const RUN_TIMEOUT_MS = 120_000;
const REPEATS = 3;

const CASES = [
  { what: 'JSON', args: ['application/json'], env: {} },
  { what: 'protobuf', args: ['application/vnd.kubernetes.protobuf'], env: {} },
  // What client-go 0.35 does by default.
  { what: 'protobuf, streamed', args: ['application/vnd.kubernetes.protobuf'], env: { KUBE_FEATURE_WatchListClient: 'true' } },
] as const;

const resultSchema = z.object({ syncMs: z.number(), pods: z.number(), nodes: z.number() });

/** How long informers of client-go take until they know all pods and nodes, with each server in turn. */
export async function measureInformers(
  all: readonly Filled[],
  {
    count,
    anchor,
    say,
  }: {
    readonly count: number;
    readonly anchor: (value: (filled: Filled) => number) => Row['anchor'];
    readonly say: (line: string) => void;
  },
): Promise<Row[]> {
  const built = await build();
  const rows: Row[] = [];
  for (const { what, args, env } of CASES) {
    const name = `client-go 0.34.4 knows ${count} pods, ${what}`;
    if ('absent' in built) {
      rows.push({ what: `${name}: ms`, ours: built, anchor: anchor(() => Number.NaN) });
      continue;
    }
    say(`informers: ${what}`);
    const costs = new Map(all.map((filled) => [filled, { ms: [] as number[], cpuMs: [] as number[] }] as const));
    for (let round = 0; round <= REPEATS; round += 1) {
      for (const [{ server, namespace }, known] of costs) {
        const before = await server.cpuMs();
        const options = { env, timeout: RUN_TIMEOUT_MS };
        const { stdout } = await execa(built.program, [server.kubeconfig, namespace, ...args], options);
        const { syncMs, pods } = resultSchema.parse(JSON.parse(stdout));
        if (pods !== count) throw new Error(`the informer knows ${pods} of ${count} pods`);
        if (round === 0) continue;
        known.ms.push(syncMs);
        known.cpuMs.push((await server.cpuMs()) - before);
      }
    }
    const ms = (filled: Filled | undefined): number => median((filled && costs.get(filled)?.ms) ?? []);
    const cpuMs = (filled: Filled | undefined): number => mean((filled && costs.get(filled)?.cpuMs) ?? []);
    rows.push({ what: `${name}: ms`, ours: ms(all[0]), anchor: anchor(ms) });
    rows.push({ what: `${name}: CPU of the server, ms`, ours: cpuMs(all[0]), anchor: anchor(cpuMs) });
  }
  return rows;
}

async function build(): Promise<{ readonly program: string } | { readonly absent: string }> {
  const program = join(anchorFolder('informers'), 'informers');
  const options = { cwd: join(packageRoot(), 'bench/informers'), reject: false, timeout: BUILD_TIMEOUT_MS } as const;
  const built = await execa('go', ['build', '-o', program, '.'], options);
  if (!built.failed) return { program };
  return { absent: built.code === 'ENOENT' ? 'Go is not installed' : `it can't be built: ${lastLine(built.stderr)}` };
}
