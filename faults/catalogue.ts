import { addressExhaustion } from './address-exhaustion.ts';
import { allocatableShortfall } from './allocatable-shortfall.ts';
import { blockedEviction } from './blocked-eviction.ts';
import { brokenConnection } from './broken-connection.ts';
import { clockSkew } from './clock-skew.ts';
import { closedWatches } from './closed-watches.ts';
import { cloudController } from './cloud-controller.ts';
import { crash } from './crash.ts';
import { deadKubelet } from './dead-kubelet.ts';
import { deniedPermission } from './denied-permission.ts';
import { ec2Throttling } from './ec2-throttling.ts';
import { expiredCredentials } from './expired-credentials.ts';
import { failingWrites } from './failing-writes.ts';
import type { Fault } from './fault.ts';
import { flappingNode } from './flapping-node.ts';
import { foreignNodeObject } from './foreign-node-object.ts';
import { instanceIdHostnames } from './instance-id-hostnames.ts';
import { instanceEnd } from './instance-end.ts';
import { insufficientCapacity } from './insufficient-capacity.ts';
import { kubeThrottling } from './kube-throttling.ts';
import { lateDevices } from './late-devices.ts';
import { lateRequest } from './late-request.ts';
import { launchFailure } from './launch-failure.ts';
import { launchRefused } from './launch-refused.ts';
import { launchTemplateGone } from './launch-template-gone.ts';
import { lostAnswer } from './lost-answer.ts';
import { neverReady } from './never-ready.ts';
import { nodeDeleted } from './node-deleted.ts';
import { pause } from './pause.ts';
import { pendingVerification } from './pending-verification.ts';
import { queueOutage } from './queue-outage.ts';
import { queuePerturbation } from './queue-perturbation.ts';
import { quota } from './quota.ts';
import { scheduledChange } from './scheduled-change.ts';
import { secondHandler } from './second-handler.ts';
import { securityGroupDeleted } from './security-group-deleted.ts';
import { serverError } from './server-error.ts';
import { slowAnswer } from './slow-answer.ts';
import { slowRegistration } from './slow-registration.ts';
import { slowTermination } from './slow-termination.ts';
import { spotInterruption } from './spot-interruption.ts';
import { staleReads } from './stale-reads.ts';
import { startupAgents } from './startup-agents.ts';
import { strayMessages } from './stray-messages.ts';
import { topologySkew } from './topology-skew.ts';
import { watchLag } from './watch-lag.ts';
import { zoneOutage } from './zone-outage.ts';

/** Every kind of fault. */
export const faults = {
  addressExhaustion,
  allocatableShortfall,
  blockedEviction,
  brokenConnection,
  clockSkew,
  closedWatches,
  cloudController,
  crash,
  deadKubelet,
  deniedPermission,
  ec2Throttling,
  expiredCredentials,
  failingWrites,
  flappingNode,
  foreignNodeObject,
  instanceEnd,
  instanceIdHostnames,
  insufficientCapacity,
  kubeThrottling,
  lateDevices,
  lateRequest,
  launchFailure,
  launchRefused,
  launchTemplateGone,
  lostAnswer,
  neverReady,
  nodeDeleted,
  pause,
  pendingVerification,
  queueOutage,
  queuePerturbation,
  quota,
  scheduledChange,
  secondHandler,
  securityGroupDeleted,
  serverError,
  slowAnswer,
  slowRegistration,
  slowTermination,
  spotInterruption,
  staleReads,
  startupAgents,
  strayMessages,
  topologySkew,
  watchLag,
  zoneOutage,
};

/** The same as a list, for callers that look up a fault by name and validate its parameters by its schema. */
export const faultCatalogue: readonly Fault<unknown, unknown>[] = Object.values(faults);

/** The fault with this name, as histories and scenarios that are data have it; undefined if there is none. */
export function faultNamed(name: string): Fault<unknown, unknown> | undefined {
  return faultCatalogue.find((fault) => fault.name === name);
}
