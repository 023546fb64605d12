import { LABEL } from '../../../../model/kube.ts';
import type { Container, KubeObject, Node, ObjectMeta, Pod, PodSpec, ResourceList, Taint } from '../../../../model/kube.ts';

/**
 * One situation and what kube-scheduler 1.34 makes of it, as plain Kubernetes objects, so that it can be created on any
 * cluster: the nodes, what else there is by resource, the pods that run already, then the pod that is to be placed.
 */
export interface SchedulerCase {
  readonly id: string;
  /** The documentation page, or the file of the Kubernetes sources, that says so. */
  readonly source: string;
  readonly nodes: readonly Node[];
  readonly objects?: readonly OtherObject[];
  /** With `spec.nodeName` those that run, without it those that were nominated. */
  readonly pods?: readonly Pod[];
  readonly pod: Pod;
  readonly expected: Expected;
}

export interface OtherObject {
  /** Plural, e.g. `persistentvolumeclaims`. */
  readonly resource: string;
  readonly object: KubeObject;
}

export type Expected =
  /** Any of these nodes may be chosen, and no other. */
  | { readonly nodes: readonly string[] }
  /** No node, with this message in the pod's condition. */
  | { readonly refused: string }
  /** No node yet, with this message; one of the nodes is nominated, after the pods named for it were told to leave. */
  | { readonly refused: string; readonly victims: Readonly<Record<string, readonly string[]>> };

const DOCS = 'https://kubernetes.io/docs/concepts/';

/** Where cases come from. */
export const SOURCE = {
  taints: `${DOCS}scheduling-eviction/taint-and-toleration/`,
  assigning: `${DOCS}scheduling-eviction/assign-pod-node/`,
  spread: `${DOCS}scheduling-eviction/topology-spread-constraints/`,
  preemption: `${DOCS}scheduling-eviction/pod-priority-preemption/`,
  bins: `${DOCS}scheduling-eviction/resource-bin-packing/`,
  overhead: `${DOCS}scheduling-eviction/pod-overhead/`,
  resources: `${DOCS}configuration/manage-resources-containers/`,
  initContainers: `${DOCS}workloads/pods/init-containers/`,
  sidecars: `${DOCS}workloads/pods/sidecar-containers/`,
  volumes: `${DOCS}storage/persistent-volumes/`,
  classes: `${DOCS}storage/storage-classes/`,
  limits: `${DOCS}storage/storage-limits/`,
  ephemeral: `${DOCS}storage/ephemeral-volumes/`,
  cordon: `${DOCS}architecture/nodes/`,
  ports: 'https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/',
} as const;

/** A file below `pkg/scheduler` of the Kubernetes sources. */
export function inSources(path: string): string {
  return `https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/scheduler/${path}`;
}

export function inPlugin(plugin: string): string {
  return inSources(`framework/plugins/${plugin}`);
}

interface NodeOptions {
  readonly zone?: string;
  readonly region?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The label `kubernetes.io/hostname` is the name, unless it is left out. */
  readonly hostname?: 'none';
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly resources?: ResourceList;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly images?: readonly { readonly names: string[]; readonly sizeBytes: number }[];
}

/** A ready node with 4 cores, 8 GiB and room for 110 pods, unless said otherwise. */
export function node(name: string, options: NodeOptions = {}): Node {
  const { zone, region, labels, hostname, cpu = '4', memory = '8Gi', pods = '110', taints, unschedulable, images } = options;
  const amounts = { cpu, memory, pods, 'ephemeral-storage': '100Gi', ...options.resources };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        ...(hostname === 'none' ? {} : { [LABEL.hostname]: name }),
        ...(zone === undefined ? {} : { [LABEL.zone]: zone }),
        ...(region === undefined ? {} : { [LABEL.region]: region }),
        ...labels,
      },
    },
    spec: { ...(taints === undefined ? {} : { taints: [...taints] }), ...(unschedulable === undefined ? {} : { unschedulable }) },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True' }],
      ...(images === undefined ? {} : { images: [...images] }),
    },
  };
}

export interface PodOptions extends Omit<Partial<PodSpec>, 'priority'> {
  readonly on?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly cpu?: string;
  readonly memory?: string;
  readonly requests?: ResourceList;
  readonly container?: Partial<Container>;
  readonly priority?: number;
  readonly metadata?: ObjectMeta;
  readonly status?: Pod['status'];
}

/** A pod of one container, without requests unless said otherwise. With `on`, one that runs there. */
export function pod(name: string, options: PodOptions = {}): Pod {
  const { on, namespace = 'default', labels, cpu, memory, requests, container, priority, metadata, status, ...spec } = options;
  const asked = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }), ...requests };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, ...(labels === undefined ? {} : { labels }), ...metadata },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.k8s.io/pause:3.10',
          ...(Object.keys(asked).length === 0 ? {} : { resources: { requests: asked, ...limitsOf(asked) } }),
          ...container,
        },
      ],
      ...(on === undefined ? {} : { nodeName: on }),
      ...(priority === undefined ? {} : { priority, priorityClassName: classNameOf(priority, spec.preemptionPolicy) }),
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** What can't be overcommitted needs a limit that equals its request. */
function limitsOf(requests: ResourceList): { limits?: ResourceList } {
  const limits = Object.entries(requests).filter(([name]) => name.includes('/') || name.startsWith('hugepages-'));
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) };
}

function classNameOf(priority: number, preemptionPolicy: PodSpec['preemptionPolicy']): string {
  return `priority-${priority}${preemptionPolicy === 'Never' ? '-never' : ''}`;
}

/** The priority classes that the pods of a case name. */
export function priorityClassesOf({ pods = [], pod }: SchedulerCase): KubeObject[] {
  const classes = new Map<string, KubeObject & { value: number; preemptionPolicy: string }>();
  for (const { spec } of [...pods, pod]) {
    const { priorityClassName: name, priority: value = 0, preemptionPolicy = 'PreemptLowerPriority' } = spec;
    if (name === undefined) continue;
    classes.set(name, { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, preemptionPolicy });
  }
  return [...classes.values()];
}

export function namespace(name: string, labels: Readonly<Record<string, string>> = {}): OtherObject {
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...labels } } };
  return { resource: 'namespaces', object };
}

/** On which nodes. */
export function on(...nodes: string[]): Expected {
  return { nodes };
}

/** What preemption has to say of how many nodes, where it finds no victims. */
interface Hopeless {
  /** Nodes where no eviction would help. */
  readonly unhelpful?: number;
  /** Nodes without any pod of lower priority. */
  readonly victimless?: number;
  /** Nodes that would not do without those pods either, and why. */
  readonly others?: Readonly<Record<string, number>>;
}

/** No node: the counted reasons, and what preemption says. */
export function refused(reasons: Readonly<Record<string, number>>, { unhelpful = 0, victimless = 0, others = {} }: Hopeless): Expected {
  const preemption = listed({
    'Preemption is not helpful for scheduling': unhelpful,
    'No preemption victims found for incoming pod': victimless,
    ...others,
  });
  const none = `0/${sum({ unhelpful, victimless, ...others })} nodes are available:`;
  return { refused: `${none} ${listed(reasons)}. no new claims to deallocate, preemption: ${none} ${preemption}.` };
}

/** No node whatever the nodes are like: for a reason that the pod itself has. */
export function refusedOutright(nodes: number, reason: string): Expected {
  return { refused: `0/${nodes} nodes are available: ${reason}. not found` };
}

/** No node yet: these pods leave for it. */
export function preempts(
  reasons: Readonly<Record<string, number>>,
  nodes: number,
  victims: Readonly<Record<string, readonly string[]>>,
): Expected {
  return { refused: `0/${nodes} nodes are available: ${listed(reasons)}.`, victims };
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
