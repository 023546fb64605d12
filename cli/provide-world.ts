import { chooseEc2 } from './choose-ec2.ts';
import type { Ec2Flags } from './choose-ec2.ts';
import { chooseWorld } from './choose-world.ts';
import type { MACHINES, WORLDS } from './choose-world.ts';
import type { Console } from './console.ts';
import { provideExisting } from './existing/existing.ts';
import { readExistingFlags, refuseExistingFlags } from './existing/flags.ts';
import type { ExistingFlags } from './existing/flags.ts';
import type { NodesFlag } from './options.ts';
import { provideKind } from './kind-world.ts';
import type { ProvidedWorld } from './world-host.ts';
import { UsageError } from './usage-error.ts';

/** The flags that choose where to run. */
export interface WorldFlags extends Ec2Flags, ExistingFlags {
  readonly kubeconfig?: string | undefined;
  readonly keep: boolean;
  readonly reuse?: string | undefined;
  /** Simulated by default. */
  readonly nodes?: Pick<NodesFlag, 'kind'>;
  /** For `--world kind`; 1 by default. */
  readonly clusters?: number | undefined;
  /** For the embedded world; by default as slow as real machines. */
  readonly machines?: (typeof MACHINES)[number] | undefined;
}

/**
 * The world that the flags name. Nothing is started yet.
 * @throws UsageError when a flag is missing, or does not apply to this world
 */
export function provideWorld(name: (typeof WORLDS)[number], flags: WorldFlags, console: Console): ProvidedWorld {
  const { kubeconfig, awsEndpoint, ec2, keep, reuse, nodes, clusters, machines } = flags;
  if (machines !== undefined && name !== 'embedded')
    throw new UsageError('--machines is for --world embedded; machines of a real cluster are always quick');
  if (name !== 'existing') refuseExistingFlags(flags);
  if (name === 'kind') {
    if (kubeconfig !== undefined) throw new UsageError('--kubeconfig is for --world existing; --world kind creates its own cluster');
    if (reuse !== undefined && (clusters ?? 1) > 1)
      throw new UsageError('--clusters creates clusters, and --reuse uses an existing one: use only one of them');
    return provideKind({ keep, reuse, clusters: clusters ?? 1, ec2: chooseEc2(name, flags), nodes: nodes?.kind ?? 'simulated' }, console);
  }
  if (nodes?.kind === 'real')
    throw new UsageError('--nodes real is for --world kind: its nodes are containers beside those of its cluster');
  for (const [flag, isGiven] of Object.entries({ keep, reuse: reuse !== undefined, clusters: clusters !== undefined }))
    if (isGiven) throw new UsageError(`--${flag} is for --world kind, which creates its own cluster`);
  if (name === 'embedded') {
    if (ec2 !== undefined) throw new UsageError('--ec2 is for --world kind and existing; the embedded world has its own EC2');
    return { world: chooseWorld(name, { kubeconfig, awsEndpoint, machines }) };
  }
  const chosen = chooseEc2(name, flags);
  const endpoint = chosen.kind === 'localstack' ? chosen.endpoint : undefined;
  const world = chooseWorld(name, { kubeconfig, awsEndpoint: endpoint });
  if (world?.kind !== 'existing') return { world };
  return provideExisting({ kubeconfig: world.kubeconfig, endpoint, ...readExistingFlags(flags) }, console);
}
