import { conditionOf } from '../../model/conditions.ts';
import type { KubeObject, Node, Taint } from '../../model/kube.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { listIfServed } from '../list-if-served.ts';
import type { ClusterPort, InstancePort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { DelayRange, WorldPart } from '../tasks.ts';
import { waitOut } from './node-faults.ts';
import type { NodeFaults, Strike } from './node-faults.ts';
import { updateTaints } from './node-objects.ts';

/** From a node's readiness to the removal of its start-up taints: the agent's pod has started and found its node. */
export const STARTUP_AGENT_DELAY: DelayRange = { minMs: 500, maxMs: 3_000 };

const AT_ONCE: DelayRange = { minMs: 0, maxMs: 0 };

/** Agents that many clusters run: Cilium, the CSI drivers of EBS and EFS. Taints by key, whatever their effect. */
const AGENTS = ['node.cilium.io/agent-not-ready', 'ebs.csi.aws.com/agent-not-ready', 'efs.csi.aws.com/agent-not-ready'];
/** How Cluster Autoscaler recognizes start-up taints. */
const PREFIXES = ['startup-taint.cluster-autoscaler.kubernetes.io/'];

interface StartupAgentOptions {
  /** Of the principal `node`. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  /** By default STARTUP_AGENT_DELAY. */
  readonly delay?: DelayRange;
  /** By default none. */
  readonly faults?: { readonly faults: NodeFaults; readonly instances: InstancePort };
}

/** The part of a NodePool and of a NodeClaim (karpenter.sh/v1) that declares taints removed by others. */
interface NodePool extends KubeObject {
  spec?: { template?: { spec?: { startupTaints?: Taint[] } } };
}
interface NodeClaim extends KubeObject {
  spec?: { startupTaints?: Taint[] };
  status?: { nodeName?: string };
}

/**
 * What the DaemonSets of start-up agents do: some time after a node is Ready they remove its start-up taints: those that
 * NodePools declare, or the node's own NodeClaim (it may have been launched before its pool was changed), and those of well-known
 * agents. The agents themselves use no resources here. By a fault, some check their node only once, as the CSI drivers of EBS and EFS
 * used to do.
 */
export class StartupAgent implements WorldPart {
  readonly #options: StartupAgentOptions;
  /** Uids of nodes whose agents check once. */
  readonly #struck = new Set<string>();

  constructor(options: StartupAgentOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random, delay = STARTUP_AGENT_DELAY } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue = new WorkQueue({ tasks, random, delay, reconcile: (name) => this.#remove(name, isReady) });
    const once = new WorkQueue({ tasks, random, delay: AT_ONCE, reconcile: (name) => this.#remove(name, () => true) });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type === 'DELETED') return;
      const { name = '', uid = '' } = object.metadata;
      const strike = this.#strike(object);
      if (strike !== undefined) {
        this.#struck.add(uid);
        tasks.start(async () => {
          await waitOut(clock, strike.problem.afterMs, strike.healed, tasks.signal);
          strike.fired();
          once.add(name);
        });
      }
      if (!this.#struck.has(uid) && isReady(object) && (object.spec?.taints ?? []).length > 0) queue.add(name);
    });
    await tasks.done();
  }

  #strike(node: Node): Strike<'startup-agents'> | undefined {
    const { faults } = this.#options;
    const instance = faults?.instances.get(parseProviderId(node.spec?.providerID) ?? '');
    return instance === undefined ? undefined : faults?.faults.strike('startup-agents', instance);
  }

  async #remove(name: string, isDue: (node: Node) => boolean): Promise<void> {
    const named = await this.#named(name);
    const isStartup = ({ key, effect }: Taint): boolean =>
      AGENTS.includes(key) ||
      PREFIXES.some((prefix) => key.startsWith(prefix)) ||
      named.some((taint) => taint.key === key && taint.effect === effect);
    await updateTaints(this.#options.port, name, (node) => {
      const taints = node.spec?.taints ?? [];
      return isDue(node) ? taints.filter((taint) => !isStartup(taint)) : taints;
    });
  }

  /** The start-up taints of all pools, and those with which this node was launched. */
  async #named(node: string): Promise<Taint[]> {
    const { port } = this.#options;
    const pools = await listIfServed<NodePool>(port, 'nodepools');
    const claims = await listIfServed<NodeClaim>(port, 'nodeclaims');
    const own = claims.filter(({ status }) => status?.nodeName === node);
    return [...pools.map(({ spec }) => spec?.template?.spec), ...own.map(({ spec }) => spec)].flatMap((spec) => spec?.startupTaints ?? []);
  }
}

function isReady(node: Node): boolean {
  return conditionOf(node, 'Ready')?.status === 'True';
}
