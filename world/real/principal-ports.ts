import type { Principal } from '../../model/operation.ts';
import type { ClockScope } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Wire } from '../../wire/wire.ts';
import type { ClusterPort } from '../ports.ts';
import { agentOf } from './agent.ts';
import { createClientPort } from './client-port.ts';
import { resourceOfPlural } from './resources.ts';

/** What ports of a real cluster are made of. */
interface PortsSite {
  /** To the API server. */
  readonly wire: Wire;
  /** A clock of the world's own, by its owner's name. */
  readonly scope: (owner: string) => ClockScope;
  readonly random: Random;
  /** Aborted when the world stops. */
  readonly signal: AbortSignal;
  /** What of the cluster is shown, and how. */
  readonly narrow: (port: ClusterPort) => ClusterPort;
}

/** The ports of a real cluster, one a principal, made when it is asked for first: its requests say in whose name they are. */
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
