import { defined } from '../../../../model/defined.ts';
import { LABEL } from '../../../../model/kube.ts';
import type { Container, KubeObject, Node, ObjectMeta, Pod, PodSpec, ResourceList, Taint } from '../../../../model/kube.ts';

/**
 * One situation and the decision of kube-scheduler 1.34, as plain Kubernetes objects that can be created on any cluster: the nodes,
 * other objects, the running pods, then the pod to schedule.
 */
export interface SchedulerCase {
  readonly id: string;
  /** The source of the decision: a documentation page, or a file of the Kubernetes sources. */
  readonly source: string;
  readonly nodes: readonly Node[];
  readonly objects?: readonly OtherObject[];
  /** Running pods with `spec.nodeName`, nominated ones without it. */
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
  /** No node yet, with this message. One of the nodes is nominated, after eviction of the pods listed for it. */
  | { readonly refused: string; readonly victims: Readonly<Record<string, readonly string[]>> };

const DOCS = 'https://kubernetes.io/docs/concepts/';

/** The sources of cases. */
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
  /** By default the label `kubernetes.io/hostname` is the name; `none` omits it. */
  readonly hostname?: 'none';
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly resources?: ResourceList;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly images?: readonly { readonly names: string[]; readonly sizeBytes: number }[];
}

/** A ready node, by default with 4 cores, 8 GiB and room for 110 pods. */
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
        ...defined({ [LABEL.zone]: zone, [LABEL.region]: region }),
        ...labels,
      },
    },
    spec: defined({ taints: taints?.slice(), unschedulable }),
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: 'True' }],
      ...defined({ images: images?.slice() }),
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

/** A pod with one container, by default without requests. With `on`, it runs on that node. */
export function pod(name: string, options: PodOptions = {}): Pod {
  const { on, namespace = 'default', labels, cpu, memory, requests, container, priority, metadata, status, ...spec } = options;
  const requested = { ...defined({ cpu, memory }), ...requests };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `uid-${namespace}-${name}`, ...defined({ labels }), ...metadata },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'registry.k8s.io/pause:3.10',
          ...(Object.keys(requested).length === 0 ? {} : { resources: { requests: requested, ...limitsOf(requested) } }),
          ...container,
        },
      ],
      ...defined({
        nodeName: on,
        priority,
        priorityClassName: priority === undefined ? undefined : classNameOf(priority, spec.preemptionPolicy),
      }),
      ...spec,
    },
    ...defined({ status }),
  };
}

/** Resources that can't be overcommitted need a limit equal to their request. */
function limitsOf(requests: ResourceList): { limits?: ResourceList } {
  const limits = Object.entries(requests).filter(([name]) => name.includes('/') || name.startsWith('hugepages-'));
  return limits.length === 0 ? {} : { limits: Object.fromEntries(limits) };
}

function classNameOf(priority: number, preemptionPolicy: PodSpec['preemptionPolicy']): string {
  return `priority-${priority}${preemptionPolicy === 'Never' ? '-never' : ''}`;
}

/** The priority classes used by the pods of a case. */
export function priorityClassesOf({ pods = [], pod }: Pick<SchedulerCase, 'pods' | 'pod'>): KubeObject[] {
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

/** The pod may be placed on any of these nodes. */
export function on(...nodes: string[]): Expected {
  return { nodes };
}

/** Preemption's reasons, with the number of nodes for each, if it finds no victims. */
interface PreemptionFailure {
  /** Nodes where no eviction would help. */
  readonly unhelpful?: number;
  /** Nodes without any pod of lower priority. */
  readonly victimless?: number;
  /** Nodes where the pod would not fit even without those pods, by reason. */
  readonly others?: Readonly<Record<string, number>>;
}

/** No node: the counted reasons, and those of preemption. */
export function refused(
  reasons: Readonly<Record<string, number>>,
  { unhelpful = 0, victimless = 0, others = {} }: PreemptionFailure,
): Expected {
  const preemption = listed({
    'Preemption is not helpful for scheduling': unhelpful,
    'No preemption victims found for incoming pod': victimless,
    ...others,
  });
  const none = `0/${sum({ unhelpful, victimless, ...others })} nodes are available:`;
  return { refused: `${none} ${listed(reasons)}. no new claims to deallocate, preemption: ${none} ${preemption}.` };
}

/** No node, for a reason that does not depend on the nodes. */
export function refusedOutright(nodes: number, reason: string): Expected {
  return { refused: `0/${nodes} nodes are available: ${reason}. not found` };
}

/** No node yet: these pods are evicted for it. */
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
