import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PORT_VARIABLES } from './variables.ts';
import type { PortVariable } from './variables.ts';

/**
 * Loopback ports that were free a moment ago, one for each variable: all are opened together and then closed, so that they are
 * different. Another program may take one before it is used; such a start fails visibly.
 */
export async function freePorts(): Promise<Readonly<Record<PortVariable, string>>> {
  const servers = PORT_VARIABLES.map((name) => ({ name, server: createServer().listen(0, '127.0.0.1') }));
  const ports = await Promise.all(
    servers.map(async ({ name, server }) => {
      await once(server, 'listening');
      return [name, String((server.address() as AddressInfo).port)] as const;
    }),
  );
  await Promise.all(
    servers.map(async ({ server }) => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    }),
  );
  return Object.fromEntries(ports) as Record<PortVariable, string>;
}
