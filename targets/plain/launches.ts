import { z } from 'zod';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { parseData } from './groups.ts';
import type { ConfigMap } from './groups.ts';
import type { Machine } from './machine.ts';

/** A launch request, verbatim: repeated with the same token, it happens only once. */
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

/** A launch that is still open. */
interface OpenLaunch extends Launch {
  /** The launched instances; absent while the response is unknown. */
  readonly ids?: readonly string[];
}

const CONFIG_MAP = { namespace: 'kube-system', name: 'plain-autoscaler-launches' } as const;
const REF = { type: RESOURCES.configmaps, ...CONFIG_MAP };
/** EC2 shows every change within this time: what is not listed by then did not happen, or is over. */
const SEEN_WITHIN_MS = 300_000;

/**
 * The launches whose instances are not listed yet. They are recorded before they are sent, so that a crash, a lost response or
 * EC2's eventual consistency does not cause a second launch; once listed, instances are found by their tags.
 */
export class Launches {
  readonly #kube: KubeClient;
  #open: OpenLaunch[] = [];
  #written: string | undefined;

  constructor(kube: KubeClient) {
    this.#kube = kube;
  }

  /** Reads the recorded launches, the first time. @throws KubeError, ConfigError */
  async load(): Promise<void> {
    if (this.#written !== undefined) return;
    const map = await this.#kube.get<ConfigMap>(REF);
    this.#open = map === undefined ? [] : parseData(map, 'launches', z.array(launchSchema));
    this.#written = map === undefined ? '' : write(this.#open);
  }

  /** Launches without a known response: they may have happened, and can be repeated. */
  unanswered(): readonly Launch[] {
    return this.#open.filter(({ ids }) => ids === undefined);
  }

  /** The instances of launches with a response. */
  machines(): Machine[] {
    return this.#open.flatMap(({ ids = [], group, instanceType, zone, sinceMs }) =>
      ids.map((id) => ({ id, group, instanceType, zone, state: 'live' as const, launchedMs: sinceMs })),
    );
  }

  /** Records launches before they are sent; if it fails, they must not be sent. @throws KubeError */
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

  /** Drops launches that are listed, that are too old to be in progress, or whose group is gone. @throws KubeError */
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
        // It exists from an earlier try whose response was lost.
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

/** The recorded form: without the results of responses. */
function write(launches: readonly OpenLaunch[]): string {
  return JSON.stringify(launches.map((launch) => launchSchema.parse(launch)));
}
