import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { PORT_VARIABLES } from './variables.ts';
import type { PortVariable } from './variables.ts';

/**
 * Ports of loopback that were free a moment ago, one for each variable: held all at once and then let go, so that they are
 * different ones. Another program may take one before it is used; a start that fails for it is seen as such.
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
