import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { attempt } from './attempt.ts';
import { Launches } from './launches.ts';
import { Lookout } from './look.ts';
import { Machines } from './machines.ts';
import { PLAIN } from './periods.ts';
import { ScaleDown } from './scale-down.ts';
import { ScaleUp } from './scale-up.ts';

/** What the autoscaler is made of. */
interface PlainSite {
  readonly runtime: Runtime;
  readonly kube: KubeClient;
  readonly ec2: Ec2Client;
  readonly cluster: ClusterConfig;
}

/**
 * A minimal autoscaler of groups: every 10 s it looks at everything, launches instances for pods that no node takes, and
 * ends those that nobody needs. What exists is what EC2 lists with its tags; what was launched and is not listed yet is
 * written down. All else it can do without, so neither a crash nor a lost answer makes it forget an instance.
 */
export class PlainAutoscaler {
  readonly #site: PlainSite;
  readonly #machines: Machines;
  readonly #lookout: Lookout;
  readonly #scaleUp: ScaleUp;
  readonly #scaleDown: ScaleDown;

  constructor(site: PlainSite) {
    const { runtime, kube, ec2, cluster } = site;
    this.#site = site;
    this.#machines = new Machines(ec2, cluster);
    const launches = new Launches(kube);
    this.#lookout = new Lookout(runtime, kube, this.#machines, launches);
    this.#scaleUp = new ScaleUp(runtime, kube, this.#machines, launches);
    this.#scaleDown = new ScaleDown(runtime, kube, this.#machines);
  }

  /** Scans until it is asked to stop. @param onFirstLook called when the world was seen for the first time */
  async run(onFirstLook: () => void): Promise<void> {
    const { clock, signal } = this.#site.runtime;
    while (!signal.aborted) {
      await this.#scan(onFirstLook);
      await clock.sleep(PLAIN.scanMs, signal).catch(() => undefined);
    }
  }

  /** What fails is done again with the next scan, and keeps nothing else from being done. */
  async #scan(onLook: () => void): Promise<void> {
    const { log } = this.#site.runtime;
    const look = await attempt(log, 'the world could not be seen', () => this.#lookout.look());
    if (look === undefined) return;
    onLook();
    const awaited = await attempt(log, 'groups could not grow', () => this.#scaleUp.run(look));
    await attempt(log, 'instances could not be ended', () => this.#scaleDown.run(look, awaited ?? new Set()));
    await attempt(log, 'launch templates could not be pruned', () => this.#machines.pruneTemplates([...look.groups.values()]));
  }
}
