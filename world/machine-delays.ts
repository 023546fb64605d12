import { INSTANCE_DELAYS } from './aws/instances.ts';
import type { InstanceDelays } from './aws/instances.ts';
import { KUBELET_DELAYS } from './nodes/kubelet.ts';
import type { KubeletDelays } from './nodes/kubelet.ts';

/**
 * How long machines take: the delays that a demonstration in real time may want to shorten. Request latencies and the control
 * plane's periods don't change.
 */
export interface MachineDelays {
  readonly instances: InstanceDelays;
  readonly kubelets: KubeletDelays;
}

/** As observed for real machines. */
export const MACHINE_DELAYS: MachineDelays = { instances: INSTANCE_DELAYS, kubelets: KUBELET_DELAYS };

const instanceMs = { minMs: 200, maxMs: 500 };
const longMs = { minMs: 200, medianMs: 300, maxMs: 500 };
const shortMs = { minMs: 50, medianMs: 100, maxMs: 200 };

/** For real time: machines that start within two seconds. */
export const QUICK_MACHINES: MachineDelays = {
  instances: { pending: instanceMs, shuttingDown: instanceMs, stopping: instanceMs },
  kubelets: { start: longMs, register: shortMs, ready: longMs, devices: longMs, podStart: shortMs, podEnd: shortMs },
};
