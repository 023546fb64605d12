import type { Pool } from '../../../model/catalogue.ts';
import { defined } from '../../../model/defined.ts';
import { NODE_POOL_LABEL } from '../../../model/kube.ts';
import type { KubeObject, ObjectMeta, Toleration } from '../../../model/kube.ts';

/** The label of everything that a run creates in a cluster that it shares. Its value names the run. */
export const RUN_LABEL = 'scaleproof.run';
/** The default prefix of names of such objects. */
export const DEFAULT_PREFIX = 'scaleproof';
/** Maximum pods that a run requests at once: those of a hundred full nodes. */
export const MAX_PODS = 3_000;
/** The namespace that scenarios use. */
const SCENARIOS_NAMESPACE = 'default';

/** Identifies a run, and how it names objects: plain data. */
export interface Tenancy {
  readonly run: string;
  readonly prefix: string;
}

type Metadata = Pick<ObjectMeta, 'labels' | 'name' | 'namespace'>;
interface Template {
  readonly metadata?: ObjectMeta;
  readonly spec: { readonly nodeSelector?: Readonly<Record<string, string>>; readonly tolerations?: readonly Toleration[] };
}

/**
 * A run as one tenant of a shared cluster. What it creates has its label, its pods run only on its own nodes, others' pods
 * don't run there, and it ignores objects without its label. Nodes are separated as operators do it, for any autoscaler: pools
 * give their nodes the label and a taint, pods select the label and tolerate the taint. A pod that tolerates every taint, like
 * those of some DaemonSets, still gets there.
 */
export class Tenant {
  readonly run: string;
  /** The namespace of scenarios, which call it `default`. */
  readonly namespace: string;
  /** Prefix of the names of cluster-wide objects. */
  readonly objectPrefix: string;
  /** Other namespaces of scenarios. */
  readonly #namespaces = new Set<string>();

  constructor({ run, prefix }: Tenancy) {
    this.run = run;
    this.namespace = `${prefix}-${run}`;
    this.objectPrefix = `${this.namespace}-`;
    this.#namespaces.add(this.namespace);
  }

  get labels(): Readonly<Record<string, string>> {
    return { [RUN_LABEL]: this.run };
  }

  /** As a label selector in a query. */
  get selector(): string {
    return `${RUN_LABEL}=${this.run}`;
  }

  /** The cluster's name for a scenario's namespace. */
  namespaceFor(name: string): string {
    return name === SCENARIOS_NAMESPACE ? this.namespace : name;
  }

  /** Whether a namespace's objects belong to the run. */
  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  /** Whether an object has the run's label, or belongs to one of its pools. */
  owns({ metadata = {} }: { readonly metadata?: Metadata }): boolean {
    return metadata.labels?.[RUN_LABEL] === this.run || metadata.labels?.[NODE_POOL_LABEL]?.startsWith(this.objectPrefix) === true;
  }

  /**
   * A pool as its target should see it.
   * @param canTaint without taints, others' pending pods get on the run's nodes too
   */
  poolFor(pool: Pool, canTaint: boolean): Pool {
    return {
      ...pool,
      name: `${this.objectPrefix}${pool.name}`,
      labels: { ...pool.labels, ...this.labels },
      taints: canTaint ? [...pool.taints, { key: RUN_LABEL, value: this.run, effect: 'NoSchedule' }] : pool.taints,
    };
  }

  /** A new object as it is created: in the run's namespace, with its label, its pods on the run's nodes. */
  adapt<T extends KubeObject>(resource: string, object: T): T {
    const { metadata } = object;
    const { namespace } = metadata;
    if (resource === 'namespaces' && metadata.name !== undefined) this.#namespaces.add(metadata.name);
    return this.#placed({
      ...object,
      metadata: {
        ...metadata,
        ...defined({ namespace: namespace === undefined ? undefined : this.namespaceFor(namespace) }),
        labels: { ...metadata.labels, ...this.labels },
      },
    });
  }

  #placed<T extends KubeObject>(object: T): T {
    const { spec } = object as { spec?: { template?: Template; jobTemplate?: { spec: { template?: Template } } } };
    if (spec?.template?.spec !== undefined) return { ...object, spec: { ...spec, template: this.#template(spec.template) } };
    const job = spec?.jobTemplate;
    if (job?.spec.template === undefined) return object;
    const jobTemplate = { ...job, spec: { ...job.spec, template: this.#template(job.spec.template) } };
    return { ...object, spec: { ...spec, jobTemplate } };
  }

  #template({ metadata, spec, ...rest }: Template): Template {
    return {
      ...rest,
      metadata: { ...metadata, labels: { ...metadata?.labels, ...this.labels } },
      spec: {
        ...spec,
        nodeSelector: { ...spec.nodeSelector, ...this.labels },
        tolerations: [...(spec.tolerations ?? []), { key: RUN_LABEL, operator: 'Equal', value: this.run, effect: 'NoSchedule' }],
      },
    };
  }
}
