import type { Pool } from '../../../model/catalogue.ts';
import type { KubeObject, ObjectMeta, Toleration } from '../../../model/kube.ts';

/** The label of everything that a run makes in a cluster that is not its own. Its value names the run. */
export const RUN_LABEL = 'scaleproof.run';
/** What the names of such things begin with, if nobody says otherwise. */
export const DEFAULT_PREFIX = 'scaleproof';
/** Most pods that a run asks for at once: a hundred nodes as full as they can be. */
export const MAX_PODS = 3_000;
/** The namespace that scenarios know. */
const SCENARIOS_NAMESPACE = 'default';

const POOL_LABEL = 'karpenter.sh/nodepool';

/** Which run it is, and how it names things: plain data. */
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
 * A run as one tenant among others of a cluster. What it makes bears its label, its pods run on its own nodes and on no
 * others, nobody else's pods run there, and what does not bear its label is not its business. Nodes are kept apart as
 * operators keep them apart, whatever the autoscaler: pools give their nodes the label and a taint, pods select the one and
 * tolerate the other. A pod that tolerates every taint, as those of some DaemonSets, still gets there.
 */
export class Tenant {
  readonly run: string;
  /** Where scenarios deploy: what they call `default`. */
  readonly namespace: string;
  /** What names of things that lie in no namespace begin with. */
  readonly objectPrefix: string;
  /** Of the scenarios' own. */
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

  /** A scenario's namespace as the cluster knows it. */
  namespaceFor(name: string): string {
    return name === SCENARIOS_NAMESPACE ? this.namespace : name;
  }

  /** Whether objects in a namespace are the run's. */
  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  /** Whether an object bears the run's label, or is of one of its pools. */
  owns({ metadata = {} }: { readonly metadata?: Metadata }): boolean {
    return metadata.labels?.[RUN_LABEL] === this.run || metadata.labels?.[POOL_LABEL]?.startsWith(this.objectPrefix) === true;
  }

  /**
   * A pool as its target is to know it.
   * @param canTaint without which pods of others that wait for a node get on the run's nodes too
   */
  poolFor(pool: Pool, canTaint: boolean): Pool {
    return {
      ...pool,
      name: `${this.objectPrefix}${pool.name}`,
      labels: { ...pool.labels, ...this.labels },
      taints: canTaint ? [...pool.taints, { key: RUN_LABEL, value: this.run, effect: 'NoSchedule' }] : pool.taints,
    };
  }

  /** A new object as it is made: in the run's namespace, with its label, its pods on the run's nodes. */
  made<T extends KubeObject>(resource: string, object: T): T {
    const { metadata } = object;
    const { namespace } = metadata;
    if (resource === 'namespaces' && metadata.name !== undefined) this.#namespaces.add(metadata.name);
    return this.#placed({
      ...object,
      metadata: {
        ...metadata,
        ...(namespace === undefined ? {} : { namespace: this.namespaceFor(namespace) }),
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
