import { z } from 'zod';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { parseData } from './groups.ts';
import type { ConfigMap } from './groups.ts';
import type { Machine } from './machine.ts';

/** A launch as it was asked for, to the letter: with the same token it can be asked for again, and happens once. */
const launchSchema = z.object({
  token: z.string(),
  group: z.string(),
  instanceType: z.string(),
  zone: z.string(),
  template: z.string(),
  count: z.number().int().positive(),
  sinceMs: z.number(),
});
export type Launch = z.infer<typeof launchSchema>;

/** A launch that has not been seen through. */
interface OpenLaunch extends Launch {
  /** The instances that came of it; absent while nobody knows the answer. */
  readonly ids?: readonly string[];
}

const CONFIG_MAP = { namespace: 'kube-system', name: 'plain-autoscaler-launches' } as const;
const REF = { type: RESOURCES.configmaps, ...CONFIG_MAP };
/** EC2 shows every change within this time: what has not been seen by then did not happen, or is over. */
const SEEN_WITHIN_MS = 300_000;

/**
 * The launches whose instances have not been seen yet. They are written down before they are sent, so that neither a
 * crash nor a lost answer nor a late view of EC2 makes anybody launch them twice; once seen, tags tell of instances.
 */
export class Launches {
  readonly #kube: KubeClient;
  #open: OpenLaunch[] = [];
  #written: string | undefined;

  constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  /** Reads what was written down, the first time. @throws KubeError, ConfigError */
  async load(): Promise<void> {
    if (this.#written !== undefined) return;
    const map = await this.#kube.get<ConfigMap>(REF);
    this.#open = map === undefined ? [] : parseData(map, 'launches', z.array(launchSchema));
    this.#written = map === undefined ? '' : write(this.#open);
  }

  /** Those whose answer is not known: they may have happened, and can be asked for again. */
  unanswered(): readonly Launch[] {
    return this.#open.filter(({ ids }) => ids === undefined);
  }

  /** The instances of those that were answered. */
  machines(): Machine[] {
    return this.#open.flatMap(({ ids = [], group, instanceType, zone, sinceMs }) =>
      ids.map((id) => ({ id, group, instanceType, zone, state: 'live' as const, launchedMs: sinceMs })),
    );
  }

  /** Writes down what is about to be sent: unless that succeeds, nothing may be. @throws KubeError */
  async begin(launches: readonly Launch[]): Promise<void> {
    const before = this.#open;
    this.#open = [...before, ...launches];
    try {
      await this.#save();
    } catch (error) {
      this.#open = before;
      throw error;
    }
  }

  answered(token: string, ids: readonly string[]): void {
    this.#open = this.#open.flatMap((one) => (one.token !== token ? [one] : ids.length === 0 ? [] : [{ ...one, ids }]));
  }

  /** Drops what has been seen, what is too old to be still under way, and what is for groups that are gone. @throws KubeError */
  async settle({ seen, groups, nowMs }: { seen: ReadonlySet<string>; groups: ReadonlySet<string>; nowMs: number }): Promise<void> {
    this.#open = this.#open.filter(({ ids, group, sinceMs }) => {
      return groups.has(group) && nowMs - sinceMs < SEEN_WITHIN_MS && ids?.every((id) => seen.has(id)) !== true;
    });
    if (write(this.#open) !== this.#written && (this.#written !== '' || this.#open.length > 0)) await this.#save();
  }

  async #save(): Promise<void> {
    const text = write(this.#open);
    const data = { launches: text };
    if (this.#written === '') {
      await this.#kube.create(RESOURCES.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...CONFIG_MAP }, data }).catch(
        // An earlier try whose answer was lost.
        (error: unknown) => {
          if (!(error instanceof KubeError && error.reason === 'AlreadyExists')) throw error;
          return this.#kube.patch(REF, { data });
        },
      );
    } else {
      await this.#kube.patch(REF, { data });
    }
    this.#written = text;
  }
}

/** As it is written down: without what answers told. */
function write(launches: readonly OpenLaunch[]): string {
  return JSON.stringify(launches.map((launch) => launchSchema.parse(launch)));
}
