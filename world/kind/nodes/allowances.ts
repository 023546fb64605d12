import type { AllowanceName } from '../../world.ts';

/** An instance that runs to its kubelet's start: its container is made, four at a time, and systemd comes up. */
const BOOT_MS = 45_000;
/** A kubelet's start to its Node: it asks for a certificate, and the cloud controller looks at what came of it. */
const REGISTER_MS = 10_000;
/** The container runtime has found its network's configuration, and start-up taints are gone. */
const READY_MS = 10_000;
/** A sandbox and containers of an image that is there, on a machine that boots others beside it. */
const POD_START_MS = 15_000;

/** What real kubelets in containers take at most, beside a real control plane on one machine. */
export const REAL_NODE_ALLOWANCES: Partial<Readonly<Record<AllowanceName, number>>> = {
  bootMs: BOOT_MS,
  registerMs: REGISTER_MS,
  readyMs: READY_MS,
  podStartMs: POD_START_MS,
};
