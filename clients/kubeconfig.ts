import type { RequestOptions } from 'node:https';
import { KubeConfig, bufferFromFileOrString } from '@kubernetes/client-node';
import { z } from 'zod';

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
 * what an exec plugin prints. Tokens are read once: one that expires is not renewed.
 * @throws Error when the file can't be read or names no cluster
 */
export async function readKubeconfig(path: string): Promise<ClusterAccess> {
  const config = new KubeConfig();
  config.loadFromFile(path);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`${path}: the current context names no cluster`);
  if (cluster.server.startsWith('http:')) {
    // client-node refuses plain HTTP without skipTLSVerify; client-go, and so kubectl, does not.
    const token = config.getCurrentUser()?.token;
    return { baseUrl: cluster.server, tls: {}, ...(token === undefined ? {} : { bearerToken: token }) };
  }
  const options: RequestOptions = { ca: bufferFromFileOrString(cluster.caFile, cluster.caData) ?? undefined };
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized, headers } = httpsOptions.parse(options);
  const bearerToken = /^Bearer (.+)$/.exec(headers?.Authorization ?? '')?.[1];
  return {
    baseUrl: cluster.server,
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(servername === undefined ? {} : { serverName: servername }),
      ...(rejectUnauthorized === false ? { insecure: true } : {}),
    },
    ...(bearerToken === undefined ? {} : { bearerToken }),
  };
}
