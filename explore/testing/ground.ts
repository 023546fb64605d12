import type { Bound } from '../../history/events.ts';
import type { TrialResult } from '../../history/verdict.ts';
import { targetNamed } from '../../targets/catalogue.ts';
import { worldFor } from '../../harness/world-for.ts';
import { USUAL_OPERATIONS } from '../draw/site.ts';
import type { DrawSite } from '../draw/site.ts';
import { SCENARIO_SCHEMA } from '../scenario-data.ts';
import type { ScenarioData, Step } from '../scenario-data.ts';
import type { Symptom } from '../findings.ts';

const reference = targetNamed('reference');

/** What scenarios may ask of the reference. */
export const SITE: DrawSite = {
  features: reference.features,
  capabilities: worldFor(reference, undefined).facts.capabilities,
  operations: USUAL_OPERATIONS,
};

/** A pool, a workload of two pods, and nothing else. */
export const SMALL: ScenarioData = {
  schema: SCENARIO_SCHEMA,
  name: 'small',
  pools: [{ name: 'a', instanceTypes: ['m6i.large'] }],
  workloads: [{ name: 'web', replicas: 2, cpu: '500m', memory: '256Mi' }],
  daemonSets: [],
  faults: [],
  steps: [{ do: 'deploy', workload: 'web' }],
};

/** Every kind of step and part. */
export const LARGE: ScenarioData = {
  schema: SCENARIO_SCHEMA,
  name: 'large',
  pools: [
    { name: 'a', instanceTypes: ['m6i.large', 'c6i.large'], capacityTypes: ['spot', 'on-demand'] },
    {
      name: 'b',
      instanceTypes: ['m6i.xlarge', 'g4dn.xlarge'],
      weight: 5,
      labels: { 'example.com/team': 'red' },
      startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoSchedule' }],
    },
  ],
  workloads: [
    { name: 'web', kind: 'Deployment', replicas: 3, cpu: '500m', memory: '256Mi', budget: { maxUnavailable: 1 } },
    { name: 'api', kind: 'StatefulSet', replicas: 2, cpu: '900m', memory: '1Gi', hostPort: 8080, ephemeralStorage: '1Gi' },
    { name: 'db', kind: 'StatefulSet', replicas: 2, cpu: '100m', memory: '256Mi', volume: { is: 'created-with-pod' } },
    { name: 'disk', replicas: 1, cpu: '100m', memory: '256Mi', volume: { is: 'existing', zone: 'us-east-1b' } },
    { name: 'task', kind: 'Job', replicas: 2, cpu: '300m', memory: '256Mi' },
    { name: 'gpu', replicas: 1, cpu: '1', memory: '1Gi', gpus: 1 },
    { name: 'gated', replicas: 2, cpu: '100m', memory: '256Mi', schedulingGates: ['example.com/quota'] },
  ],
  daemonSets: [{ name: 'agent', cpu: '20m', memory: '32Mi' }],
  faults: [
    { name: 'fault-1', fault: 'insufficient-capacity', params: { zones: ['us-east-1a'] } },
    { name: 'fault-2', fault: 'slow-answer', params: { operations: ['*'], when: { kind: 'every', nth: 3 }, delayMs: 3_000 } },
  ],
  steps: [
    { do: 'inject', fault: 'fault-1' },
    { do: 'deploy', workload: 'web' },
    { do: 'inject', fault: 'fault-2' },
    { do: 'deploy', workload: 'api' },
    { do: 'deploy', workload: 'gated' },
    { do: 'deploy', workload: 'db' },
    { do: 'deploy', workload: 'disk' },
    { do: 'deploy', workload: 'task' },
    { do: 'deploy', workload: 'gpu' },
    { do: 'until-served', workload: 'web' },
    { do: 'until-fired', fault: 'fault-2' },
    { do: 'scale', workload: 'web', replicas: 5 },
    { do: 'scale', workload: 'task', replicas: 1 },
    { do: 'pass', seconds: 30 },
    { do: 'change-pool', pool: { name: 'b', instanceTypes: ['m6i.xlarge', 'g4dn.xlarge'], labels: { 'example.com/team': 'blue' } } },
    { do: 'roll-out', workload: 'web' },
    { do: 'restart-target' },
    { do: 'heal', fault: 'fault-2' },
    { do: 'keep-nodes' },
    { do: 'remove', workload: 'api' },
    { do: 'withdraw-pool', pool: 'b' },
  ],
};

/** The steps with these in addition. */
export function withSteps(data: ScenarioData, ...steps: readonly Step[]): ScenarioData {
  return { ...data, steps: [...data.steps, ...steps] };
}

/** A judged trial, as a target gives it that fails with these symptoms. */
export function resultOf(symptoms: readonly Symptom[], more: Partial<TrialResult> = {}): TrialResult {
  const checks = symptoms.map(({ check, code }) => ({
    check,
    verdict: 'fail' as const,
    summary: 'failed',
    findings: [{ code, object: 'pods/default/web', events: [], message: `${code} was found` }],
    measurements: [],
  }));
  return {
    scenario: 'explore/any',
    title: 'any',
    suite: 'explore',
    target: 'reference',
    seed: 1,
    verdict: symptoms.length === 0 ? 'pass' : 'fail',
    checks,
    replay: 'sp1',
    history: 'histories/1.jsonl',
    success: { served: 0, asked: 0 },
    latencies: [],
    instances: { created: 0, terminated: 0, live: 0, leaked: 0 },
    faults: { armed: 0, fired: 0 },
    interleaving: 'i',
    virtualMs: 1,
    ...more,
  };
}

/** A bound of hand-made results. */
export const BOUND: Bound = { name: 'settle', value: 100, unit: 'ms', formula: '100', reason: 'by hand' };
