import { defined } from '../../model/defined.ts';
import type { KubeObject, Pod, PodSpec, PodTemplate } from '../../model/kube.ts';
import { EventRecorder } from '../events.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { controllerRef } from './ownership.ts';
import type { Kind } from './ownership.ts';

/** The dependencies of a controller. */
export interface ControllerOptions {
  /** Of the principal `workloads`: a part of the controller manager. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
}

/** The differences between a pod and its template. */
interface PodChange {
  /** Absent: a generated one. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}

/** Creates and deletes pods for their owners, with Events (`RealPodControl` of `k8s.io/kubernetes/pkg/controller`). */
export class PodControl {
  readonly #port: ClusterPort;
  readonly #events: EventRecorder;
  readonly #kind: Kind;

  constructor(options: ControllerOptions & { readonly kind: Kind; readonly component: string }) {
    const { port, clock, random, component, kind } = options;
    this.#port = port;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component });
    this.#kind = kind;
  }

  /** @throws ClusterError */
  async create(owner: KubeObject, template: PodTemplate, change: PodChange = {}): Promise<Pod> {
    try {
      const pod = await this.#port.create<Pod>('pods', this.podFor(owner, template, change));
      await this.recordEvent(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
      return pod;
    } catch (error) {
      if (error instanceof ClusterError) await this.recordEvent(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      throw error;
    }
  }

  /** A pod of an owner, not yet created. */
  podFor(owner: KubeObject, template: PodTemplate, change: PodChange = {}): Pod {
    const { name: ownerName = '', namespace = 'default' } = owner.metadata;
    const { labels, annotations, finalizers = [] } = template.metadata ?? {};
    const allFinalizers = [...finalizers, ...(change.finalizers ?? [])];
    return {
      metadata: {
        ...(change.name === undefined ? { generateName: `${ownerName}-` } : { name: change.name }),
        namespace,
        ownerReferences: [controllerRef(this.#kind, owner.metadata)],
        ...defined({ labels: (labels ?? change.labels) && { ...labels, ...change.labels }, annotations }),
        ...(allFinalizers.length === 0 ? {} : { finalizers: allFinalizers }),
      },
      spec: { ...template.spec, ...change.spec },
    };
  }

  /** A pod that no longer exists is not an error. @throws ClusterError */
  async delete(owner: KubeObject, { metadata: { name = '', namespace = 'default', uid = '' } }: Pod): Promise<void> {
    try {
      await this.#port.delete({ resource: 'pods', namespace, name }, { uid });
      await this.recordEvent(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.status === 404) return;
      await this.recordEvent(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
      throw error;
    }
  }

  /** Writes an Event about an owner. */
  recordEvent({ metadata }: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    const { name, namespace, uid } = metadata;
    const { apiVersion, kind } = this.#kind;
    return this.#events.record({ about: { apiVersion, kind, name, namespace, uid }, type, reason, message });
  }
}

/**
 * Calls `work` a number of times, in batches of 1, 2, 4, ..., so that a refusal stops after one request and not after
 * all (`slowStartBatch`).
 * @param work gets the index of the call, from 0
 */
export async function slowStart(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let done = 0, batch = 1; done < count; batch *= 2) {
    const size = Math.min(batch, count - done);
    const first = done;
    await Promise.all(Array.from({ length: size }, (_, index) => work(first + index)));
    done += size;
  }
}
