import type { Principal } from '../../model/operation.ts';
import type { ClockScope } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Wire } from '../../wire/wire.ts';
import type { ClusterPort } from '../ports.ts';
import { agentOf } from './agent.ts';
import { createClientPort } from './client-port.ts';
import { resourceOfPlural } from './resources.ts';

/** The dependencies of ports to a real cluster. */
interface PortsSite {
  /** The wire of the API server. */
  readonly wire: Wire;
  /** A clock of the world, for a named owner. */
  readonly scope: (owner: string) => ClockScope;
  readonly random: Random;
  /** Aborted when the world stops. */
  readonly signal: AbortSignal;
  /** Restricts what a port shows of the cluster. */
  readonly narrow: (port: ClusterPort) => ClusterPort;
}

/** The ports of a real cluster, one per principal, created on first use: their requests carry the principal's name. */
export function createPrincipalPorts({ wire, scope, random, signal, narrow }: PortsSite): (principal: Principal) => ClusterPort {
  const ports = new Map<Principal, ClusterPort>();
  return (principal) => {
    const known = ports.get(principal);
    if (known !== undefined) return known;
    const owner = `port of ${principal}`;
    const runtime = { clock: scope(owner), random: random.fork(owner), log: () => undefined, signal };
    const speaking: Wire = (request) => wire({ ...request, headers: { ...request.headers, ...agentOf(principal) } });
    const made = narrow(createClientPort({ wire: speaking, runtime, resource: resourceOfPlural }));
    ports.set(principal, made);
    return made;
  };
}
