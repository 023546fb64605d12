import type { ResourceList } from './kube.ts';

/** The settings of a kubelet that decide how many pods its node takes. Names and meanings are those of KubeletConfiguration. */
export interface KubeletSettings {
  /** Instead of what the network allows. The memory that is reserved for the kubelet stays the same. */
  readonly maxPods?: number;
  /** By resource; what is not named keeps its default. */
  readonly kubeReserved?: ResourceList;
  readonly systemReserved?: ResourceList;
  /** Quantities or percentages by signal, such as `memory.available`; what is not named keeps its default. */
  readonly evictionHard?: Readonly<Record<string, string>>;
}

/** What a user configures on the nodes of a pool through their user data. Each target passes it on to the instances. */
export interface NodeSettings {
  readonly kubelet?: KubeletSettings;
  /** Labels that only the kubelet sets (`--node-labels`): the pool does not have them, so the autoscaler can't plan with them. */
  readonly userDataLabels?: Readonly<Record<string, string>>;
}
