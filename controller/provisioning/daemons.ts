import type { Taint } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import type { NodeAlternative } from '../../model/requirements.ts';
import { addResources, podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { hostPortsOf } from '../scheduling/host-ports.ts';
import type { HostPort } from '../scheduling/host-ports.ts';
import type { DaemonSet } from '../state.ts';

/** What DaemonSets take of a node. */
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

/**
 * The pods that DaemonSets would run on nodes. One whose template can't be read counts as none: the API server would not
 * have let it in.
 */
export class Daemons {
  readonly #daemons: readonly Daemon[];
  /** By the DaemonSets that come together: nodes that are alike get the same object. */
  readonly #shares = new Map<string, DaemonShare>();

  constructor(daemonSets: readonly DaemonSet[]) {
    this.#daemons = daemonSets.flatMap((daemonSet) => readDaemon(daemonSet) ?? []);
  }

  /** What those take that would run on a node of such labels and taints. */
  shareOf(labels: Labels, taints: readonly Taint[]): DaemonShare {
    const indexes = this.#daemons.flatMap(({ alternatives, tolerations }, index) =>
      untolerated(taints, tolerations, REPELLING) === undefined && matchesNode(alternatives, '', labels) ? [index] : [],
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
