import { fileURLToPath } from 'node:url';
import { defined } from '../model/defined.ts';
import { z } from 'zod';
import type { BenchSite } from './site.ts';
import type { Row } from './table.ts';
import { TOXIPROXY_VERSION } from './toxiproxy.ts';
import { runMeasured } from './usage.ts';

const RUN_TIMEOUT_MS = 1_800_000;

/** What `bench/proxy.ts --json` prints. */
export const proxyReportSchema = z.object({
  missing: z.string().optional(),
  cpu: z.array(z.object({ what: z.string(), oursUs: z.number(), toxiproxyUs: z.number().optional() })),
});
export type ProxyReport = z.infer<typeof proxyReportSchema>;

/** The processor time of the proxy before a real cluster: `npm run bench:proxy` has more. */
export async function measureProxies({ scale, kubeconfig, say }: BenchSite): Promise<Row[]> {
  say('proxy: npm run bench:proxy');
  const more = defined({ kubeconfig });
  const args = [fileURLToPath(new URL('./proxy.ts', import.meta.url)), '--json', '--scale', String(scale)];
  const { stdout } = await runMeasured(
    process.execPath,
    [...args, ...Object.entries(more).flatMap(([name, value]) => [`--${name}`, value])],
    {
      timeout: RUN_TIMEOUT_MS,
    },
  );
  const { missing = 'not measured', cpu } = proxyReportSchema.parse(JSON.parse(stdout));
  return cpu.map(({ what, oursUs, toxiproxyUs }) => ({
    what: `proxy, ${what}: CPU, us`,
    ours: oursUs,
    anchor: { name: `Toxiproxy ${TOXIPROXY_VERSION.slice(1)}`, value: toxiproxyUs ?? { absent: missing } },
  }));
}
