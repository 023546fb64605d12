import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { createRealTimeline } from '../runtime/timeline.ts';
import type { BenchSite } from './site.ts';
import { formatTable } from './table.ts';
import type { Row } from './table.ts';

/**
 * Measures what the parts of Scaleproof cost, beside what the same work costs elsewhere, and prints one table in Markdown.
 *
 *     npm run bench -- [--only GROUP]... [--kubeconfig FILE] [--scale N]
 *
 * An anchor that can't be had is printed as absent, with the reason: Karpenter and Toxiproxy need Go, moto needs Python and pip, the
 * real API server a `--kubeconfig`, whose cluster gets a namespace with 10,000 pods and 500 nodes for a while. `--scale 0.1` uses a
 * tenth of the sizes, to try it out. Processor times are those of Linux.
 */
const GROUPS: Readonly<Record<string, () => Promise<(site: BenchSite) => Promise<Row[]>>>> = {
  trials: async () => (await import('./trials.ts')).measureTrials,
  clusters: async () => (await import('./clusters.ts')).measureClusters,
  solver: async () => (await import('./solver.ts')).measureSolver,
  'api-server': async () => (await import('./api-server.ts')).measureApiServer,
  fleets: async () => (await import('./fleets.ts')).measureFleets,
  proxy: async () => (await import('./proxies.ts')).measureProxies,
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, kubeconfig: { type: 'string' }, scale: { type: 'string', default: '1' } },
  });
  const names = values.only ?? Object.keys(GROUPS);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const site: BenchSite = { kubeconfig: values.kubeconfig, scale: Number(values.scale), say };
  const unknown = names.filter((name) => GROUPS[name] === undefined);
  if (unknown.length > 0) {
    say(`there is no ${unknown.join(', ')}; there are: ${Object.keys(GROUPS).join(', ')}`);
    return 2;
  }
  if (!(site.scale > 0)) {
    say(`--scale must be a number above 0, not ${values.scale}`);
    return 2;
  }
  const rows: Row[] = [];
  let failures = 0;
  for (const name of names) {
    try {
      rows.push(...((await (await GROUPS[name]?.())?.(site)) ?? []));
    } catch (error) {
      failures += 1;
      say(`${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  process.stdout.write(`${machine()}\n\n${formatTable(rows)}\n`);
  return failures === 0 ? 0 : 1;
}

/** Where and when it was measured. */
function machine(): string {
  const cores = cpus();
  const date = new Date(createRealTimeline().nowMs()).toISOString().slice(0, 10);
  return `${cores.length} cores of ${cores[0]?.model ?? 'an unknown processor'}, Linux ${release()}, Node ${process.versions.node}, ${date}:`;
}

process.exit(await main());
