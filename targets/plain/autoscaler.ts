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

/** What the autoscaler needs. */
interface PlainSite {
  readonly runtime: Runtime;
  readonly kube: KubeClient;
  readonly ec2: Ec2Client;
  readonly cluster: ClusterConfig;
}

/**
 * A minimal autoscaler with node groups: every 10 s it looks at everything, launches instances for unschedulable pods, and
 * terminates unneeded ones. The existing instances are those that EC2 lists with its tags; launches that are not listed yet are
 * recorded. It needs no other state, so neither a crash nor a lost response makes it forget an instance.
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

  /** Scans until it is told to stop. @param onFirstLook called when the world was read for the first time */
  async run(onFirstLook: () => void): Promise<void> {
    const { clock, signal } = this.#site.runtime;
    while (!signal.aborted) {
      await this.#scan(onFirstLook);
      await clock.sleep(PLAIN.scanMs, signal).catch(() => undefined);
    }
  }

  /** A failed part is repeated in the next scan, and does not block the other parts. */
  async #scan(onLook: () => void): Promise<void> {
    const { log } = this.#site.runtime;
    const look = await attempt(log, 'the world could not be read', () => this.#lookout.look());
    if (look === undefined) return;
    onLook();
    const awaited = await attempt(log, 'groups could not grow', () => this.#scaleUp.run(look));
    await attempt(log, 'instances could not be terminated', () => this.#scaleDown.run(look, awaited ?? new Set()));
    await attempt(log, 'launch templates could not be pruned', () => this.#machines.pruneTemplates([...look.groups.values()]));
  }
}
