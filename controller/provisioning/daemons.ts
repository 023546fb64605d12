import type { Taint } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import type { NodeAlternative } from '../../model/requirements.ts';
import { addResources, podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { KARPENTER } from '../api.ts';
import { hostPortsOf } from '../scheduling/host-ports.ts';
import type { HostPort } from '../scheduling/host-ports.ts';
import type { DaemonSet } from '../state.ts';

/** What DaemonSets use of a node. */
export interface DaemonShare {
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
}

interface Daemon {
  readonly alternatives: readonly NodeAlternative[];
  readonly tolerations: DaemonSet['spec']['template']['spec']['tolerations'];
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
}

/** What is used where there are no DaemonSets. */
export const NO_SHARE: DaemonShare = { requests: {}, hostPorts: [] };

/** Labels that each node of ours has sooner or later. */
const LATER_LABELS = { [KARPENTER.registered]: 'true', [KARPENTER.initialized]: 'true' };

/**
 * The pods that DaemonSets would run on nodes. A DaemonSet with an invalid template is ignored: the API server would not have
 * accepted it.
 */
export class Daemons {
  readonly #daemons: readonly Daemon[];
  /** By the set of DaemonSets: equal nodes get the same object. */
  readonly #shares = new Map<string, DaemonShare>();

  constructor(daemonSets: readonly DaemonSet[]) {
    this.#daemons = daemonSets.flatMap((daemonSet) => readDaemon(daemonSet) ?? []);
  }

  /** What DaemonSets use on a node of ours with these labels and taints. */
  shareOf(labels: Labels, taints: readonly Taint[]): DaemonShare {
    // Asked for each offering of a pool, of which there may be thousands.
    if (this.#daemons.length === 0) return NO_SHARE;
    const labelsInTheEnd = { ...labels, ...LATER_LABELS };
    const indexes = this.#daemons.flatMap(({ alternatives, tolerations }, index) =>
      untolerated(taints, tolerations, REPELLING) === undefined && matchesNode(alternatives, '', labelsInTheEnd) ? [index] : [],
    );
    const key = indexes.join();
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const members = indexes.flatMap((index) => this.#daemons[index] ?? []);
    const share = {
      requests: members.map(({ requests }) => requests).reduce<Resources>(addResources, {}),
      hostPorts: members.flatMap(({ hostPorts }) => hostPorts),
    };
    this.#shares.set(key, share);
    return share;
  }
}

function readDaemon({ spec }: DaemonSet): Daemon | undefined {
  const { spec: pod } = spec.template;
  try {
    return {
      alternatives: nodeAlternatives(pod),
      tolerations: pod.tolerations,
      requests: podRequests(pod),
      hostPorts: hostPortsOf(pod),
    };
  } catch {
    return undefined;
  }
}
