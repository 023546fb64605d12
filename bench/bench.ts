import { cpus, release, type } from 'node:os';
import { parseArgs } from 'node:util';
import { createRealTimeline } from '../runtime/timeline.ts';
import type { BenchSite } from './site.ts';
import { formatTable } from './table.ts';
import type { Row } from './table.ts';

/**
 * Measures what the parts of Scaleproof cost, beside what the same work costs elsewhere, and prints one table in Markdown. Processor
 * times are those of Linux.
 */
const GROUPS: Readonly<Record<string, () => Promise<(site: BenchSite) => Promise<Row[]>>>> = {
  trials: async () => (await import('./trials.ts')).measureTrials,
  generated: async () => (await import('./generated.ts')).measureGenerated,
  clusters: async () => (await import('./clusters.ts')).measureClusters,
  solver: async () => (await import('./solver.ts')).measureSolver,
  'api-server': async () => (await import('./api-server.ts')).measureApiServer,
  fleets: async () => (await import('./fleets.ts')).measureFleets,
  proxy: async () => (await import('./proxies.ts')).measureProxies,
};

const USAGE = `npm run bench -- [--only GROUP]... [--kubeconfig FILE] [--scale N]

  --only GROUP       one of ${Object.keys(GROUPS).join(', ')}; by default all
  --kubeconfig FILE  a real API server to compare with: its cluster gets a namespace with 10,000 pods, and 500 nodes, for some minutes
  --scale N          0.1 uses a tenth of the sizes, to try it out

An anchor that can't be had is printed as absent, with the reason: Karpenter and Toxiproxy need Go, moto needs Python and pip.
`;

/** The groups to measure, and what they get. @throws TypeError if an argument is wrong */
function readArguments(args: string[]): { readonly names: readonly string[]; readonly site: BenchSite } | 'help' {
  const text = { type: 'string' } as const;
  const options = {
    only: { ...text, multiple: true },
    kubeconfig: text,
    scale: { ...text, default: '1' },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args, options });
  if (values.help === true) return 'help';
  const names = values.only ?? Object.keys(GROUPS);
  const unknown = names.filter((name) => !Object.hasOwn(GROUPS, name));
  if (unknown.length > 0) throw new TypeError(`there is no group ${unknown.join(', ')}`);
  const scale = Number(values.scale);
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) throw new TypeError(`--scale must be a number above 0, not ${values.scale}`);
  return { names, site: { kubeconfig: values.kubeconfig, scale, say } };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  let read;
  try {
    read = readArguments(process.argv.slice(2));
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (read === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { names, site } = read;
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
  return `${cores.length} cores of ${cores[0]?.model ?? 'an unknown processor'}, ${type()} ${release()}, Node ${process.versions.node}, ${date}:`;
}

process.exit(await main());
