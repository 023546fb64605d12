import type { Capability } from '../../history/capabilities.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { ClusterPort, InstancePort } from '../ports.ts';
import type { WorldPart } from '../tasks.ts';
import type { AllowanceName } from '../world.ts';
import type { KubeletDelays } from './kubelet.ts';
import type { NodeFaults } from './node-faults.ts';

/** The dependencies of a part that turns instances into nodes, with simulated or real kubelets. */
export interface NodesSite {
  /** Of the principal `node`. */
  readonly port: ClusterPort;
  readonly instances: InstancePort;
  readonly clock: Clock;
  readonly random: Random;
  /** Called once per boot for an instance that will never become a node, with the reason. */
  readonly onNeverRegisters: (instanceId: string, why: string) => void;
  /** The cluster of these nodes: an instance whose user data names another one never registers here. */
  readonly clusterName: string;
  /** That of the cluster's nodes: an instance that is not in it never reaches the API server. */
  readonly securityGroupId: string;
  /** Undefined for an unknown type. */
  readonly instanceType: (type: string) => InstanceType | undefined;
  /** For simulated kubelets; by default KUBELET_DELAYS. */
  readonly delays?: KubeletDelays;
  /** By default none. */
  readonly faults?: NodeFaults;
  /** Calls a listener with the id of each instance that reboots; by default none does. Real nodes are not rebooted. */
  readonly onReboot?: (listener: (id: string) => void) => () => void;
  /** How often a simulated kubelet writes its status even if nothing changed; by default never. */
  readonly statusReportPeriodMs?: number;
}

/** A way to turn instances into real nodes. */
export interface NodesKind {
  /** Capabilities that a world with them lacks. */
  readonly lacks: readonly Capability[];
  /** Allowances that differ from those of simulated nodes. */
  readonly allowances: Partial<Readonly<Record<AllowanceName, number>>>;
  readonly create: (site: NodesSite) => WorldPart;
}
