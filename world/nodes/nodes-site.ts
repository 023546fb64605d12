import type { Capability } from '../../history/capabilities.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { ClusterPort, InstancePort } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';
import type { AllowanceName } from '../world.ts';
import type { KubeletDelays } from './kubelet.ts';
import type { NodeFaults } from './node-faults.ts';

/** What instances are turned into nodes with, whether their kubelets are simulated or real. */
export interface NodesSite {
  /** Of the principal `node`. */
  readonly port: ClusterPort;
  readonly instances: InstancePort;
  readonly clock: Clock;
  readonly random: Random;
  /** Told, once a boot, of an instance that no node will come of, and why. */
  readonly onNeverRegisters: (instanceId: string, why: string) => void;
  /** The cluster whose nodes these are: an instance whose user data names another never registers here. */
  readonly clusterName: string;
  /** Undefined for a type that isn't known. */
  readonly instanceType: (type: string) => InstanceType | undefined;
  /** Of simulated kubelets; by default KUBELET_DELAYS. */
  readonly delays?: KubeletDelays;
  /** By default none. */
  readonly faults?: NodeFaults;
}

/** How instances become nodes that are more than simulated. */
export interface NodesKind {
  /** What a world with them lacks. */
  readonly lacks: readonly Capability[];
  /** Where they need other times than simulated ones. */
  readonly allowances: Partial<Readonly<Record<AllowanceName, number>>>;
  readonly create: (site: NodesSite) => WorldPart;
}
