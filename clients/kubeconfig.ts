import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { clientNode } from './client-node.ts';
import { readToken } from './token-file.ts';

/** How to reach an API server: what `createHttpWire` takes. */
export interface ClusterAccess {
  readonly baseUrl: string;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly serverName?: string;
    readonly insecure?: boolean;
  };
  readonly bearerToken?: string;
  /** The file that the token came from, if any: long-running clients read it again (`withTokenFile`). */
  readonly tokenFile?: string;
}

const pem = z.union([z.string(), z.instanceof(Buffer).transform((bytes) => bytes.toString('utf8'))]).optional();
const httpsOptions = z.object({
  ca: pem,
  cert: pem,
  key: pem,
  servername: z.string().optional(),
  rejectUnauthorized: z.boolean().optional(),
  headers: z.looseObject({ Authorization: z.string().optional() }).optional(),
});

/**
 * Reads a kubeconfig file's current context through client-node: certificates and keys from data or files, tokens, and
 * the output of an exec plugin. Tokens are read once and not renewed here. `tokenFile` is read here, because client-node
 * knows it only as `token-file`, which kubectl does not. As in client-go it takes precedence over `token`.
 * @throws Error when a file can't be read or the kubeconfig names no cluster
 */
export async function readKubeconfig(path: string): Promise<ClusterAccess> {
  const { KubeConfig, bufferFromFileOrString } = clientNode();
  const config = new KubeConfig();
  config.loadFromFile(path);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`${path}: the current context names no cluster`);
  const tokenFile = tokenFileOf(path, config.getCurrentUser()?.name);
  const fromFile = tokenFile === undefined ? {} : { bearerToken: readToken(tokenFile), tokenFile };
  if (cluster.server.startsWith('http:')) {
    // client-node refuses plain HTTP without skipTLSVerify; client-go, and so kubectl, does not.
    const token = config.getCurrentUser()?.token;
    return { baseUrl: cluster.server, tls: {}, ...defined({ bearerToken: token }), ...fromFile };
  }
  const options: RequestOptions = { ca: bufferFromFileOrString(cluster.caFile, cluster.caData) ?? undefined };
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized, headers } = httpsOptions.parse(options);
  const bearerToken = /^Bearer (.+)$/.exec(headers?.Authorization ?? '')?.[1];
  return {
    baseUrl: cluster.server,
    tls: {
      ...defined({ ca, cert, key, serverName: servername }),
      ...(rejectUnauthorized === false ? { insecure: true } : {}),
    },
    ...defined({ bearerToken }),
    ...fromFile,
  };
}

const users = z.looseObject({
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({ tokenFile: z.string().min(1).optional() }).nullish() })).nullish(),
});

/** The file that holds a user's token: relative to the kubeconfig, if it is not absolute. */
function tokenFileOf(path: string, user: string | undefined): string | undefined {
  const file = users.parse(parse(readFileSync(path, 'utf8'))).users?.find(({ name }) => name === user)?.user?.tokenFile;
  return file === undefined ? undefined : resolve(dirname(path), file);
}

/** The name of a kubeconfig file's current context. @throws Error when the file can't be read */
export function readContextName(path: string): string {
  const config = new (clientNode().KubeConfig)();
  config.loadFromFile(path);
  return config.getCurrentContext();
}
