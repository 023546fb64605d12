import { createRequire } from 'node:module';

type ClientNode = typeof import('@kubernetes/client-node');

const require = createRequire(import.meta.url);

/**
 * Kubernetes' own client, read at the first call: its 870 modules are a third of what a command reads when it starts, and
 * most commands never speak to an API server. Later calls return the same module.
 */
export function clientNode(): ClientNode {
  return require('@kubernetes/client-node') as ClientNode;
}
