/** What a user's scenario, target or script may import: `import { scenario, faults } from 'scaleproof'`. */
export { judge } from './checks/judge.ts';
export { checkCatalogue as checks } from './checks/catalogue.ts';
export type { Check } from './checks/check.ts';
export { faultCatalogue, faults } from './faults/catalogue.ts';
export { specify } from './faults/fault.ts';
export type { Fault, FaultSite, FaultSpec } from './faults/fault.ts';
export type { HistoryEvent } from './history/events.ts';
export type { CheckResult, Finding, TrialResult, Verdict } from './history/verdict.ts';
export { pool, scenario } from './harness/scenario.ts';
export type { ActiveFault, Scenario, Trial, Workload, WorkloadSpec } from './harness/scenario.ts';
export { runTrial } from './harness/run.ts';
export type { Pool } from './model/catalogue.ts';
export type { Target, TargetConstants, TargetProcess, TargetSite } from './targets/target.ts';
