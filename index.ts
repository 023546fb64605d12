/** What a user's scenario, target or script may import: `import { scenario, faults } from 'scaleproof'`. */

// Scenarios: docs/write-your-own.md.
export { pool, scenario } from './harness/scenario.ts';
export type {
  ActiveFault,
  BudgetSpec,
  DaemonSetSpec,
  Expectations,
  NamedFaults,
  Scenario,
  ScenarioHead,
  Trial,
  UserObject,
  Workload,
  WorkloadRequest,
  WorkloadSpec,
} from './harness/scenario.ts';
export type { BoundName } from './harness/bounds.ts';
export {
  NODE_POOLS,
  NODE_SIZED,
  NODE_TYPES,
  OPTED_OUT,
  PREFERS_ALL_ZONES,
  SPREAD_OVER_ZONES,
  THIRD_SIZED,
  endingSlowly,
  impossible,
  servedAfterHeal,
} from './harness/shapes.ts';
export { scaleToNone, serve, serveTogether } from './harness/steps.ts';
export { LABEL } from './model/kube.ts';
export type { Pool, PoolDisruption } from './model/catalogue.ts';
export type { Capability } from './history/capabilities.ts';
export type { Truth } from './history/events.ts';

// Faults.
export { faultCatalogue, faults } from './faults/catalogue.ts';
export { defineFault, mayFire, specify } from './faults/fault.ts';
export type { CallableFault, Fault, FaultSite, FaultSpec } from './faults/fault.ts';
export { DESCRIPTIONS, INSTANCE_LISTS, LAUNCHES, TERMINATIONS } from './faults/operations.ts';
export { always, between, everyNth, first, nth, withProbability } from './faults/triggers.ts';

// Targets.
export type { Feature, Target, TargetConstants, TargetProcess, TargetSite } from './targets/target.ts';

// Checks, and what they judge.
export { judge } from './checks/judge.ts';
export { checkCatalogue as checks } from './checks/catalogue.ts';
export type { Check } from './checks/check.ts';
export type { HistoryEvent } from './history/events.ts';
export type { CheckResult, Finding, TrialResult, Verdict } from './history/verdict.ts';
export { runTrial } from './harness/run.ts';

// scaleproof.config.ts: docs/running.md.
export { defineConfig } from './harness/config.ts';
export type { ScaleproofConfig } from './harness/config.ts';
