import type { AllowanceName } from '../../world.ts';

/** From a running instance to its kubelet's start: its container is created, four at a time, and systemd starts. */
const BOOT_MS = 45_000;
/** From a kubelet's start to its Node: it requests a certificate, and the cloud controller handles the new node. */
const REGISTER_MS = 10_000;
/** The container runtime has found its network configuration, and start-up taints are removed. */
const READY_MS = 10_000;
/** A sandbox and containers of a local image, on a machine that boots other nodes at the same time. */
const POD_START_MS = 15_000;

/** The most that real kubelets in containers take, beside a real control plane on one machine. */
export const REAL_NODE_ALLOWANCES: Partial<Readonly<Record<AllowanceName, number>>> = {
  bootMs: BOOT_MS,
  registerMs: REGISTER_MS,
  readyMs: READY_MS,
  podStartMs: POD_START_MS,
};
