import type { AwsCredentials } from '../clients/ec2-sdk.ts';
import { readKubeconfig } from '../clients/kubeconfig.ts';
import { createRealTimeline, createVirtualTimeline } from '../runtime/timeline.ts';
import type { Timeline, TimelineHooks } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import type { Target } from '../targets/target.ts';
import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { loadCatalogue, smallRegion } from '../model/instance-catalogue.ts';
import type { Catalogue } from '../model/instance-catalogue.ts';
import { EMBEDDED, EMBEDDED_IN_REAL_TIME, createEmbeddedWorld } from '../world/embedded.ts';
import type { EmbeddedOptions } from '../world/embedded.ts';
import { QUICK_MACHINES } from '../world/machine-delays.ts';
import { realNodes } from '../world/kind/nodes/real-nodes.ts';
import type { RealNodesRef } from '../world/kind/nodes/real-nodes.ts';
import { addAccount } from '../world/kind/run-state.ts';
import { createRealWorld, factsOfReal } from '../world/real/real.ts';
import type { RealWorldOptions } from '../world/real/real.ts';
import { createObservedWorld, observedFacts } from '../world/real/observed/observed.ts';
import type { Tenancy } from '../world/real/tenant/tenant.ts';
import { LoadError } from './load-error.ts';
import type { World, WorldSite } from '../world/world.ts';
import type { ReplayLine } from './replay-line.ts';

/** When trials in virtual time begin: any fixed day would do; this one is in the catalogue's price list. */
export const EPOCH_MS = Date.UTC(2026, 6, 1);

/**
 * The world that trials run in, as plain data. `embedded`: by default with machines as slow as real ones, or with the quick
 * ones of a real cluster. `existing`: a user's cluster, given by its administrator's kubeconfig, and optionally the URL of a
 * LocalStack for machines and the interruption queue. `kind`: the same, but the cluster belongs to the run.
 */
export type WorldRef =
  | { readonly kind: 'embedded'; readonly machines?: 'quick' }
  | {
      readonly kind: 'existing' | 'kind';
      readonly kubeconfig: string;
      /** Where machines are, decided before an address is known; by default in LocalStack if it has an address. */
      readonly ec2?: 'localstack' | 'embedded';
      readonly awsEndpoint?: string;
      /** Where a trial records its account before it uses it, so that a sweep can find it. */
      readonly accountsFile?: string;
      /** Runs instances as containers with their own kubelets; by default kubelets are simulated. */
      readonly nodes?: RealNodesRef;
      /** The id of the run, in a cluster that is not the run's alone. */
      readonly tenancy?: Tenancy;
      /** Most instances that a trial may launch or observe; by default unlimited. */
      readonly maxInstances?: number;
      /** The target uses its own endpoints; by default ours. */
      readonly observed?: ObservedRef;
    };

/** How an observer sees instances. */
export interface ObservedRef {
  /** By default only what nodes show. Keys come from the environment. */
  readonly ec2?: { readonly endpoint: string; readonly region: string };
}

/** What replay lines record about a world: what its trials depend on, but no address. */
export function replayWorld(ref: WorldRef): Pick<ReplayLine, 'world' | 'ec2' | 'mode' | 'maxInstances'> {
  if (ref.kind === 'embedded') return { world: ref.machines === undefined ? ref.kind : `${ref.kind}:${ref.machines}` };
  const { kind, nodes, awsEndpoint, observed, maxInstances } = ref;
  const { ec2 = awsEndpoint === undefined ? 'embedded' : 'localstack' } = ref;
  return {
    world: nodes === undefined ? kind : `${kind}:real-nodes`,
    ec2,
    ...defined({ mode: observed && ('observed' as const), maxInstances }),
  };
}

/** What decides which instance types a small region has. */
type Pools = readonly Pick<Pool, 'requirements'>[];

/** Creates the world of one trial. */
interface WorldMaker {
  createTimeline(seed: number, hooks: TimelineHooks): Timeline;
  createWorld(site: WorldSite): World;
}

/** The world that a target is tested in. */
export interface WorldChoice {
  /** What is known of it before one is created. */
  readonly facts: Pick<World, 'name' | 'capabilities' | 'allowances'>;
  /** What can't be observed of the target in it, one sentence each. */
  readonly unseen?: readonly string[];
  readonly time: 'virtual' | 'real';
  /** Reads what it is created from. @param pools of the scenario @throws if that can't be read */
  prepare(pools: Pools): Promise<WorldMaker>;
}

/** The embedded world: on the virtual clock, or, for programs outside this process, in real time. */
function embeddedWith(target: WorldTarget, facts: WorldChoice['facts'], options: Pick<EmbeddedOptions, 'delays'>): WorldChoice {
  const { time = 'virtual', serviceAccount: targetAccount } = target;
  const createTimeline: WorldMaker['createTimeline'] = (seed, hooks) =>
    time === 'real'
      ? createRealTimeline(hooks)
      : createVirtualTimeline({ startMs: EPOCH_MS, random: createRandom(seed).fork('clock'), hooks });
  return {
    facts,
    time,
    prepare: (pools) => {
      const catalogue = catalogueFor(target, BY_DEFAULT, pools);
      return Promise.resolve({
        createTimeline,
        createWorld: (site) => createEmbeddedWorld(site, { ...options, catalogue, ...defined({ targetAccount }) }),
      });
    },
  };
}

/** Machines as slow as real ones, or, on either clock, the quick ones of a real cluster. Real time always uses those. */
function embeddedChoice(target: WorldTarget, machines: 'quick' | undefined): WorldChoice {
  if (target.time === 'real') return embeddedWith(target, EMBEDDED_IN_REAL_TIME, { delays: QUICK_MACHINES });
  if (machines === undefined) return embeddedWith(target, EMBEDDED, {});
  return embeddedWith(target, { ...EMBEDDED, allowances: EMBEDDED_IN_REAL_TIME.allowances }, { delays: QUICK_MACHINES });
}

const BY_DEFAULT: WorldRef = { kind: 'embedded' };

/** What trials with these pools can launch. */
export function catalogueFor({ smallRegion: isSmall }: Pick<Target, 'smallRegion'>, ref: WorldRef = BY_DEFAULT, pools: Pools): Catalogue {
  return isSmall === true && ref.kind === 'embedded' ? smallRegion(loadCatalogue(), pools) : loadCatalogue();
}

/** What in a target decides its world. */
type WorldTarget = Pick<Target, 'time' | 'external' | 'smallRegion' | 'serviceAccount'>;

/** The requested world: in its own time or, if embedded, in the target's. */
export function worldFor(target: WorldTarget, ref: WorldRef = BY_DEFAULT): WorldChoice {
  const choice = choiceFor(target, ref);
  return target.external === undefined ? choice : withoutKills(choice);
}

function choiceFor(target: WorldTarget, ref: WorldRef): WorldChoice {
  if (ref.kind === 'embedded') return embeddedChoice(target, ref.machines);
  if (target.serviceAccount !== undefined)
    throw new LoadError('a target with a serviceAccount runs only in the embedded world: leave out rbac and serviceAccount');
  const { kubeconfig, tenancy, observed, maxInstances, nodes } = ref;
  if (observed !== undefined && tenancy !== undefined) return observedChoice(ref, tenancy, observed);
  const options = {
    ...ec2Of(ref),
    ...defined({ nodes: nodes && realNodes(nodes), tenancy, maxInstances }),
    // The cluster of somebody else may have the EBS driver.
    createsVolumes: ref.kind === 'kind',
    // An externally run target may do other work in its cluster.
    guardsTarget: target.external === undefined,
  };
  return {
    facts: { ...factsOfReal(options), name: ref.kind },
    time: 'real',
    prepare: async () => {
      const access = await readKubeconfig(kubeconfig);
      return {
        createTimeline: (_seed, hooks) => createRealTimeline(hooks),
        createWorld: (site) => ({ ...createRealWorld(site, { access, ...options }), name: ref.kind }),
      };
    },
  };
}

function observedChoice(
  { kubeconfig, maxInstances = Infinity }: Exclude<WorldRef, { kind: 'embedded' }>,
  tenancy: Tenancy,
  { ec2 }: ObservedRef,
): WorldChoice {
  const { unseen, ...facts } = observedFacts(ec2 !== undefined);
  return {
    facts,
    unseen,
    time: 'real',
    prepare: async () => {
      const access = await readKubeconfig(kubeconfig);
      const seen = ec2 === undefined ? {} : { ec2: { ...ec2, credentials: credentialsOf(process.env) } };
      return {
        createTimeline: (_seed, hooks) => createRealTimeline(hooks),
        createWorld: (site) => createObservedWorld(site, { access, tenancy, maxInstances, ...seen }),
      };
    },
  };
}

/** The environment variables that every SDK reads. */
function credentialsOf(environment: NodeJS.ProcessEnv): AwsCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = environment;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...defined({ sessionToken }) };
}

/** An externally run target must not be killed. */
function withoutKills(choice: WorldChoice): WorldChoice {
  const withoutKill = <T extends Pick<World, 'capabilities'>>(facts: T): T => ({
    ...facts,
    capabilities: facts.capabilities.filter((capability) => capability !== 'target.kill'),
  });
  return {
    ...choice,
    facts: withoutKill(choice.facts),
    prepare: async (pools) => {
      const { createWorld, ...maker } = await choice.prepare(pools);
      return { ...maker, createWorld: (site) => withoutKill(createWorld(site)) };
    },
  };
}

function ec2Of({ awsEndpoint, accountsFile }: Exclude<WorldRef, { kind: 'embedded' }>): Pick<RealWorldOptions, 'ec2'> {
  if (awsEndpoint === undefined) return {};
  const onAccount = (account: string): void => {
    if (accountsFile !== undefined) addAccount(accountsFile, account);
  };
  return { ec2: { endpoint: awsEndpoint, onAccount } };
}
