import { crash } from './crash.ts';
import type { Fault } from './fault.ts';
import { insufficientCapacity } from './insufficient-capacity.ts';
import { lostAnswer } from './lost-answer.ts';
import { slowAnswer } from './slow-answer.ts';
import { topologySkew } from './topology-skew.ts';

/** Every kind of fault. */
export const faults = { crash, insufficientCapacity, lostAnswer, slowAnswer, topologySkew };

/** What lists and contract tests need of a fault, whatever its parameters. */
export type FaultSummary = Omit<Fault<never>, 'params' | 'inject' | 'describe' | 'capabilities'>;

export const faultCatalogue: readonly FaultSummary[] = Object.values(faults);
