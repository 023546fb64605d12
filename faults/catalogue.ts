import { addressExhaustion } from './address-exhaustion.ts';
import { allocatableShortfall } from './allocatable-shortfall.ts';
import { crash } from './crash.ts';
import { deadKubelet } from './dead-kubelet.ts';
import { ec2Throttling } from './ec2-throttling.ts';
import type { Fault } from './fault.ts';
import { flappingNode } from './flapping-node.ts';
import { foreignNodeObject } from './foreign-node-object.ts';
import { instanceEnd } from './instance-end.ts';
import { insufficientCapacity } from './insufficient-capacity.ts';
import { kubeThrottling } from './kube-throttling.ts';
import { launchFailure } from './launch-failure.ts';
import { lostAnswer } from './lost-answer.ts';
import { neverReady } from './never-ready.ts';
import { queueOutage } from './queue-outage.ts';
import { queuePerturbation } from './queue-perturbation.ts';
import { quota } from './quota.ts';
import { scheduledChange } from './scheduled-change.ts';
import { slowAnswer } from './slow-answer.ts';
import { slowRegistration } from './slow-registration.ts';
import { spotInterruption } from './spot-interruption.ts';
import { staleReads } from './stale-reads.ts';
import { strayMessages } from './stray-messages.ts';
import { topologySkew } from './topology-skew.ts';

/** Every kind of fault. */
export const faults = {
  addressExhaustion,
  allocatableShortfall,
  crash,
  deadKubelet,
  ec2Throttling,
  flappingNode,
  foreignNodeObject,
  instanceEnd,
  insufficientCapacity,
  kubeThrottling,
  launchFailure,
  lostAnswer,
  neverReady,
  queueOutage,
  queuePerturbation,
  quota,
  scheduledChange,
  slowAnswer,
  slowRegistration,
  spotInterruption,
  staleReads,
  strayMessages,
  topologySkew,
};

/** The same for who takes a fault and its parameters by name, and finds out by their schema whether they fit. */
export const faultCatalogue: readonly Fault<unknown, unknown>[] = Object.values(faults);
