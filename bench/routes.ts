import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import type { ClusterAccess } from '../clients/kubeconfig.ts';
import type { ChildMessage } from './proxy-process.ts';
import { startToxiproxy } from './toxiproxy.ts';
import { usageOf } from './usage.ts';
import type { Usage } from './usage.ts';

export type Route = 'direct' | 'bare' | 'toxiproxy' | 'ours';

/** A way to the server. */
export interface Way {
  readonly access: ClusterAccess;
  /** Of the proxy, or of the server on the direct way; nothing if the server is not ours. */
  readonly usage: () => Promise<Usage>;
}

/** The ways to one server. */
export interface Routes {
  /** In the order in which they are measured. */
  readonly ways: ReadonlyMap<Route, Way>;
  /** Why Toxiproxy is missing, if it is. */
  readonly missing: string | undefined;
  stop(): void;
}

/** Starts the proxies. @param kubeconfig of the cluster; without it, a server that answers from memory is started */
export async function startRoutes(kubeconfig: string | undefined): Promise<Routes> {
  const children: ChildProcess[] = [];
  const server = kubeconfig === undefined ? await start(children, 'server') : undefined;
  const direct = kubeconfig === undefined ? plain(server?.url ?? '') : await readKubeconfig(kubeconfig);
  const upstream = kubeconfig ?? direct.baseUrl;
  const [bare, ours] = [await start(children, 'bare', upstream), await start(children, 'proxy', upstream)];
  const { protocol, hostname, port } = new URL(direct.baseUrl);
  const toxiproxy = await startToxiproxy(`${hostname}:${port === '' ? 443 : port}`);
  const ways = new Map<Route, Way>([['direct', { access: direct, usage: server?.usage ?? (() => Promise.resolve(NOTHING)) }]]);
  ways.set('bare', { access: plain(bare.url), usage: bare.usage });
  if (!('missing' in toxiproxy)) {
    const access = { ...direct, baseUrl: `${protocol}//${toxiproxy.address}`, tls: { ...direct.tls, insecure: true } };
    ways.set('toxiproxy', { access, usage: () => usageOf(toxiproxy.pid) });
  }
  ways.set('ours', { access: plain(ours.url), usage: ours.usage });
  return {
    ways,
    missing: 'missing' in toxiproxy ? toxiproxy.missing : undefined,
    stop: () => {
      for (const child of children) child.kill();
      if (!('missing' in toxiproxy)) toxiproxy.stop();
    },
  };
}

const NOTHING: Usage = { cpuMs: 0, rssMiB: 0 };
const plain = (baseUrl: string): ClusterAccess => ({ baseUrl, tls: {} });

async function start(children: ChildProcess[], ...args: string[]): Promise<{ url: string; usage: () => Promise<Usage> }> {
  const child = fork(fileURLToPath(new URL('./proxy-process.ts', import.meta.url)), args);
  children.push(child);
  const next = async (): Promise<ChildMessage> => ((await once(child, 'message')) as [ChildMessage])[0];
  const first = await next();
  if (!('url' in first)) throw new Error('the child did not send its address');
  const usage = async (): Promise<Usage> => {
    child.send('usage');
    const answer = await next();
    if ('url' in answer) throw new Error('the child sent its address twice');
    return answer;
  };
  return { url: first.url, usage };
}
