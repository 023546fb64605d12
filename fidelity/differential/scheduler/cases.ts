import type { SchedulerCase } from './cases/case.ts';
import { NODE_AFFINITY_CASES } from './cases/node-affinity.ts';
import { NODE_CASES } from './cases/nodes.ts';
import { POD_AFFINITY_CASES } from './cases/pod-affinity.ts';
import { PREEMPTION_CASES } from './cases/preemption.ts';
import { RESOURCE_CASES } from './cases/resources.ts';
import { SPREAD_CASES } from './cases/spread.ts';
import { VOLUME_CASES } from './cases/volumes.ts';

/** Situations and the decisions of kube-scheduler 1.34 in its default profile. */
export const SCHEDULER_CASES: readonly SchedulerCase[] = [
  ...NODE_CASES,
  ...NODE_AFFINITY_CASES,
  ...RESOURCE_CASES,
  ...SPREAD_CASES,
  ...POD_AFFINITY_CASES,
  ...VOLUME_CASES,
  ...PREEMPTION_CASES,
];
