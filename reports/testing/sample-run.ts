import { judgeView } from '../../checks/judge.ts';
import type { HistoryEvent } from '../../history/events.ts';
import { seenIn } from '../../history/seen.ts';
import type { NotRun } from '../../history/verdict.ts';
import { createView } from '../../history/view.ts';
import { RUN_FORMAT } from '../report-input.ts';
import type { ReportInput, ReportTrial, RequirementFacts, RunFacts } from '../report-input.ts';
import { BOUNDS, DRAWN_DIGEST, Sketch, TARGET, WORLD } from './sketch.ts';
import type { SketchedNode, SketchedPod } from './sketch.ts';

interface Drawn {
  readonly id: string;
  readonly title: string;
  readonly suite: string;
  readonly profile: 'core' | 'extended' | 'robustness';
  readonly requirements: readonly string[];
  readonly draw: (sketch: Sketch, seed: number) => HistoryEvent[];
  /** Seeds whose process was killed, so that the history is truncated. */
  readonly cutOff?: readonly number[];
}

/** Names from a hostile cluster, which must be escaped everywhere. */
export const HOSTILE_NAMES = {
  image: '<img src=x onerror=alert(1)>',
  script: '</script><script>document.title="broken"</script>',
  attribute: '" onmouseover="alert(2)',
  style: '</style><style>body{display:none}</style>',
} as const;

/** Ten nodes for ten pods, and back. */
function drawScaleOut(s: Sketch): HistoryEvent[] {
  const pods = s.deploy(2_500, 'web', 10, { expect: 'provision' });
  const nodes = serveEach(s, pods, 14_000);
  s.polls(5_000, 190_000);
  pods.forEach((pod, index) => s.endPod(98_000 + index * 40, pod));
  nodes.forEach((node, index) => s.endNode(134_000 + index * 350, node));
  return s.close({ healMs: 164_000, removeMs: 172_000, overMs: 196_000 });
}

/** Fifty spot pods over three zones, several per node. */
function drawSpotSpread(s: Sketch): HistoryEvent[] {
  const pods = s.deploy(2_500, 'web', 50, {
    note: '50 pods of 500m CPU and 1Gi, spread over topology.kubernetes.io/zone with maxSkew 1',
    expect: 'provision',
  });
  s.at(2_500, {
    type: 'expectation',
    expectation: { kind: 'latency', workload: 'web', from: 'pending', to: 'running', bound: 'provision' },
  });
  const nodes = Array.from({ length: 17 }, (_, index) => s.launch(13_500 + index * 130, index, { capacityType: 'spot' }));
  pods.forEach((pod, index) => s.run(pod, nodes[index % nodes.length] as SketchedNode, 61_000 + s.random.int(0, 3_000)));
  s.polls(5_000, 186_000);
  pods.forEach((pod, index) => s.endPod(126_000 + index * 20, pod));
  nodes.forEach((node, index) => s.endNode(158_000 + index * 350, node));
  return s.close({ healMs: 122_000, removeMs: 125_000, overMs: 190_000 });
}

/** The target is killed after CreateFleet took effect; after the restart it launches again with a new token. */
function drawKilledAfterLaunch(s: Sketch, seed: number): HistoryEvent[] {
  s.at(2_480, {
    type: 'fault.armed',
    fault: {
      id: 'fault-1',
      fault: 'crash',
      description: 'the target is killed after the first ec2:CreateFleet took effect and before its answer',
      params: { operations: ['ec2:CreateFleet'], moment: 'after' },
      legal: true,
      firing: 'must-fire',
      color: '#b91c1c',
    },
  });
  const pods = s.deploy(2_500, 'web', 5, { expect: 'recover' });
  const leaks = seed % 2 === 1;
  const lost = s.launch(14_000, 0, { end: 'none', nodeless: true });
  const killedMs = 15_300;
  s.at(killedMs, { type: 'fault.fired', fault: 'fault-1', note: 'ec2:CreateFleet' });
  s.at(killedMs, { type: 'target.exit', incarnation: 1, provoked: true, reason: 'killed after ec2:CreateFleet took effect' });
  s.at(killedMs + 60, { type: 'target.dropped', incarnation: 1, calls: 4 });
  s.incarnation = 2;
  s.start(killedMs + 1_000);
  const again = pods.slice(0, 1).map(() => s.launch(31_000, 0, leaks ? { claim: lost.claim } : {}));
  const nodes = [...again, ...pods.slice(1).map((_, index) => s.launch(31_200 + index * 140, index + 1))];
  pods.forEach((pod, index) => s.run(pod, nodes[index] as SketchedNode, 92_000 + s.random.int(0, 2_000)));
  s.polls(20_000, leaks ? 416_000 : 236_000, 15_000);
  s.at(150_000, { type: 'fault.healed', fault: 'fault-1' });
  s.at(151_500, {
    type: 'said',
    by: 'log',
    level: 'error',
    reason: 'collection',
    message: 'garbage collection skipped: no claim has the launch tag',
    principal: 'target',
  });
  pods.forEach((pod, index) => s.endPod(172_000 + index * 40, pod));
  nodes.forEach((node, index) => s.endNode(206_000 + index * 350, node));
  if (!leaks) s.endNode(52_000, lost);
  return s.close({ healMs: 150_000, removeMs: 171_000, overMs: leaks ? 420_000 : 240_000 }, leaks ? [`instance/${lost.instance}`] : []);
}

/** A pod with maxSkew -1 breaks its batch: the healthy pods in it are never served. */
function drawNegativeSkew(s: Sketch): HistoryEvent[] {
  s.at(2_450, {
    type: 'fault.armed',
    fault: {
      id: 'fault-1',
      fault: 'topology-skew',
      description: 'the target reads maxSkew -1 in pods with scaleproof.dev/workload=broken',
      params: { labels: { 'scaleproof.dev/workload': 'broken' }, maxSkew: -1 },
      legal: false,
      firing: 'must-fire',
      color: '#7c3aed',
    },
  });
  s.deploy(2_460, 'broken', 1, {
    note: '1 pod of 2 CPU and 4Gi',
    truth: { kind: 'malformed', why: 'the target reads maxSkew -1', field: 'maxSkew' },
  });
  s.at(2_465, { type: 'expectation', expectation: { kind: 'explained', workload: 'broken', bound: 'explain', mentions: ['maxSkew'] } });
  s.at(2_600, { type: 'fault.fired', fault: 'fault-1', note: 'watch pods' });
  const pods = s.deploy(2_520, 'healthy', 10, {
    note: '10 pods of 500m CPU and 1Gi, spread over topology.kubernetes.io/zone with maxSkew 1',
    expect: 'provision',
  });
  for (let t = 13_000; t < 190_000; t += 10_000) {
    s.request(t, {
      operation: 'ec2:CreateFleet',
      rejected: 'MissingParameter',
      end: 'fail',
      status: 400,
      code: 'MissingParameter',
      note: 'The request must contain the parameter LaunchTemplateConfigs',
    });
  }
  s.at(13_020, {
    type: 'target.panic',
    incarnation: 1,
    recovered: true,
    message: 'runtime error: invalid memory address or nil pointer dereference',
  });
  s.at(40_000, { type: 'fault.fired', fault: 'fault-1', note: 'list pods' });
  s.polls(5_000, 196_000);
  s.at(190_000, { type: 'fault.healed', fault: 'fault-1' });
  pods.forEach((pod, index) => s.endPod(194_000 + index * 20, pod));
  return s.close({ healMs: 190_000, removeMs: 193_500, overMs: 199_000 });
}

/** Spot runs out, the errors of fleets name one pool each, and the pool falls back to on-demand. */
function drawSpotRunsOut(s: Sketch): HistoryEvent[] {
  s.at(2_450, {
    type: 'fault.armed',
    fault: {
      id: 'fault-1',
      fault: 'insufficient-capacity',
      description: 'no spot capacity is left in any zone; errors name one pool',
      params: { capacityTypes: ['spot'], remaining: 0, errors: 'one' },
      legal: true,
      firing: 'must-fire',
      color: '#b45309',
    },
  });
  s.at(2_460, {
    type: 'fault.armed',
    fault: {
      id: 'fault-2',
      fault: 'slow-answer',
      description: 'one in fifty answers of EC2 takes 5 s longer',
      params: { probability: 0.02 },
      legal: true,
      firing: 'may-fire',
      color: '#0e7490',
    },
  });
  const pods = s.deploy(2_500, 'second', 20, { note: '20 pods of 1 CPU and 2Gi', expect: 'fallback' });
  for (let round = 0; round < 4; round += 1) {
    const t = 13_400 + round * 10_300;
    s.request(t, { operation: 'ec2:CreateFleet', tookMs: 1_500, note: 'instances: none, errors: InsufficientInstanceCapacity (1)' });
    s.at(t + 700, { type: 'fault.fired', fault: 'fault-1', note: 'ec2:CreateFleet' });
  }
  const nodes = Array.from({ length: 10 }, (_, index) => s.launch(56_000 + index * 150, index));
  pods.forEach((pod, index) => s.run(pod, nodes[index % nodes.length] as SketchedNode, 106_000 + s.random.int(0, 2_000)));
  s.polls(5_000, 212_000);
  s.at(130_000, { type: 'fault.healed', fault: 'fault-1' });
  s.at(130_000, { type: 'fault.healed', fault: 'fault-2' });
  pods.forEach((pod, index) => s.endPod(150_000 + index * 20, pod));
  nodes.forEach((node, index) => s.endNode(184_000 + index * 350, node));
  return s.close({ healMs: 130_000, removeMs: 149_000, overMs: 216_000 });
}

/** The supervisor kills the process of the trial, so the outcome is unknown. */
function drawInterrupted(s: Sketch): HistoryEvent[] {
  s.deploy(2_500, 'web', 5, { expect: 'recover' });
  s.launch(14_000, 0);
  s.at(16_000, { type: 'supervisor', cause: 'interrupted', culprit: 'harness', message: 'the run was interrupted' });
  return s.finish().filter(({ t }) => t <= 16_000);
}

function serveEach(s: Sketch, pods: readonly SketchedPod[], fromMs: number): SketchedNode[] {
  return pods.map((pod, index) => {
    const node = s.launch(fromMs + index * 140, index);
    s.run(pod, node, fromMs + 60_000 + s.random.int(0, 2_000));
    return node;
  });
}

const SCENARIOS: readonly Drawn[] = [
  {
    id: 'provisioning/scale-out-and-back',
    title: 'ten nodes are provisioned for ten pods, and go when the pods go',
    suite: 'provisioning',
    profile: 'core',
    requirements: ['PRV-01', 'TRM-01'],
    draw: drawScaleOut,
  },
  {
    id: 'scheduling/spot-spread',
    title: 'fifty spot pods spread over three zones',
    suite: 'scheduling',
    profile: 'extended',
    requirements: ['PRV-01', 'SCH-04'],
    draw: drawSpotSpread,
  },
  {
    id: 'scheduling/negative-max-skew',
    title: 'a pod with maxSkew -1 on the wire spoils nothing for the healthy pods beside it',
    suite: 'scheduling',
    profile: 'robustness',
    requirements: ['SCH-11', 'TEL-03'],
    draw: drawNegativeSkew,
  },
  {
    id: 'capacity/spot-runs-out',
    title: 'no capacity in one zone, then no spot capacity anywhere: the pool falls back',
    suite: 'capacity',
    profile: 'core',
    requirements: ['CAP-03', 'CAP-04'],
    draw: drawSpotRunsOut,
  },
  {
    id: 'crashes/killed-after-launch',
    title: 'killed right after CreateFleet took effect and before its answer',
    suite: 'crashes',
    profile: 'core',
    requirements: ['CRA-01', 'CRA-02'],
    draw: drawKilledAfterLaunch,
  },
  {
    id: 'api-pressure/lost-launch-answer',
    title: 'a fleet is launched and the answer never arrives: no second fleet, nothing forgotten',
    suite: 'api-pressure',
    profile: 'core',
    requirements: ['LEK-02'],
    draw: drawInterrupted,
    cutOff: [1, 2],
  },
];

const NOT_RUN = {
  id: 'capacity/reserved-capacity',
  title: 'capacity reservations are used before anything else is bought',
  suite: 'capacity',
  profile: 'extended',
  requirements: ['CAP-13'],
} as const;
const UNSERVED = { 'success-rate': ['pod-not-served'] };
const LEAKED = { 'no-leaked-instances': ['leaked-instance', 'nodeless-instance'] };
const SPECIFICATION: readonly RequirementFacts[] = (
  [
    ['PRV-01', 'provisioning', 'core', 'A pod that some pool can serve runs within the bound.', UNSERVED],
    ['SCH-04', 'scheduling constraints', 'core', 'Pods under a hard spread constraint are all served.', UNSERVED],
    ['SCH-11', 'scheduling constraints', 'robustness', 'A constraint that cannot be met delays no pod but its own.', UNSERVED],
    ['CAP-03', 'capacity errors', 'extended', 'Where there is no spot capacity, on-demand capacity serves.', UNSERVED],
    ['CAP-04', 'capacity errors', 'core', 'An offering that was refused is left alone.', UNSERVED],
    ['CAP-13', 'capacity errors', 'extended', 'What is reserved is used first.', UNSERVED],
    ['TRM-01', 'termination', 'core', 'An instance that nothing needs any more ends.', { 'scale-in': ['not-ended'] }],
    ['LEK-02', 'leaks', 'core', 'A launch whose answer never arrived leaves no instance that nobody knows.', LEAKED],
    ['CRA-01', 'controller crashes', 'core', 'Whenever the autoscaler is killed, the next one serves all pods.', UNSERVED],
    ['CRA-02', 'controller crashes', 'core', 'Whenever the autoscaler is killed, no instance is forgotten.', LEAKED],
    ['STL-01', 'stale reads', 'core', 'An instance that the cloud does not show yet is not taken for lost.', LEAKED],
    [
      'TEL-03',
      'what it tells',
      'robustness',
      'A pod whose constraint cannot be understood is named.',
      { 'unserved-explained': ['unexplained'] },
    ],
  ] as const
).map(([id, area, profile, title, breaches]) => ({
  id,
  level: id === 'CAP-04' ? 'SHOULD' : 'MUST',
  area,
  profile,
  title,
  breaches: Object.fromEntries(Object.entries<readonly string[]>(breaches).map(([check, codes]) => [check, [...codes]])),
  scenarios: [
    ...[...SCENARIOS, NOT_RUN].filter(({ requirements }) => requirements.some((one) => one === id)).map((scenario) => scenario.id),
    ...(id === 'LEK-02' ? ['provisioning/pool-deleted-during-launch'] : []),
  ],
}));
const WHY_NOT_RUN = 'the target does not declare the feature "capacity-reservations"';

/** Options of a sample run. */
export interface SampleOptions {
  /** Seeds 1 to this number. */
  readonly trials?: number;
  /** The scenarios to keep, all if absent. */
  readonly only?: readonly string[];
  /** Rewrites each history before it is judged. */
  readonly rewrite?: (events: HistoryEvent[]) => HistoryEvent[];
}

/** A run with passes, a leak, an unserved batch, a truncated history and a scenario that was not run. */
export function sampleRun({ trials = 2, only, rewrite = (events) => events }: SampleOptions = {}): ReportInput {
  const kept = SCENARIOS.filter(({ id }) => only === undefined || only.includes(id));
  const seeds = Array.from({ length: trials }, (_, index) => index + 1);
  const declined = only === undefined ? [NOT_RUN] : [];
  const notRun = declined.flatMap(({ id, title, suite }) =>
    seeds.map((seed): NotRun => ({ scenario: id, title, suite, seed, reason: WHY_NOT_RUN })),
  );
  const drawn = kept.flatMap((scenario) => seeds.map((seed) => drawTrial(scenario, seed, rewrite)));
  const run: RunFacts = {
    format: RUN_FORMAT,
    id: '20260101-000000-7f3a',
    startedAt: '2026-01-01T00:00:00.000Z',
    versions: { scaleproof: '0.1.0', node: 'v24.21.0' },
    seed: 1,
    trials,
    scenarios: [...kept, ...declined].map(({ id, title, suite, profile, requirements }) => ({
      id,
      title,
      suite,
      profile,
      requirements: [...requirements],
      digest: DRAWN_DIGEST,
    })),
    requirements: [...SPECIFICATION],
    target: TARGET,
    world: WORLD,
    bounds: [...BOUNDS],
    digests: { catalogue: 'c4'.repeat(32), prices: 'ab'.repeat(32) },
    planned: drawn.map(({ result: { scenario, title, suite, seed, replay, history } }) => ({
      scenario,
      title,
      suite,
      seed,
      replay,
      history,
    })),
    notRun,
    wallMs: 4_200,
  };
  return { run, trials: drawn, notRun };
}

function drawTrial(scenario: Drawn, seed: number, rewrite: (events: HistoryEvent[]) => HistoryEvent[]): ReportTrial {
  const { id, title, suite } = scenario;
  const events = rewrite(scenario.draw(new Sketch({ id, title, suite }, seed), seed));
  const view = createView(events, { truncated: scenario.cutOff?.includes(seed) ?? false });
  return {
    result: {
      scenario: id,
      title,
      suite,
      target: TARGET.name,
      seed,
      replay: `sp1,scenario=${id}@d1d1d1d1d1d1,target=${TARGET.name},seed=${seed},catalogue=c4c4c4c4c4c4`,
      history: `histories/${id.replace('/', '.')}-seed-${seed}.jsonl`,
      ...judgeView(view),
    },
    seen: seenIn(view),
    events,
  };
}
