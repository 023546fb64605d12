import { isDeepStrictEqual, parseArgs } from 'node:util';
import { judge } from '../checks/judge.ts';
import { parseHistory } from '../history/reader.ts';
import { createRecorder } from '../history/writer.ts';
import { startTrial, whyNotRun } from '../harness/engine.ts';
import type { Scenario } from '../harness/scenario.ts';
import { worldFor } from '../harness/world-for.ts';
import { sources } from '../suites/catalogue.ts';
import { reference } from '../targets/reference.ts';
import type { World, WorldSite } from '../world/world.ts';
import { buildScheduler } from '../fidelity/differential/scheduler/real/build.ts';
import { createWorldWithScheduler } from '../fidelity/differential/scheduler/real/world.ts';

/**
 * Runs the scenarios of a profile with the reference twice, in the embedded world and in one with a real scheduler, in virtual time.
 * Different verdicts are exit code 1:
 *
 *     npx node quality/compare-schedulers.ts [--profile core] [--scenario ID] [--seed 1]
 */
const { values } = parseArgs({
  options: {
    profile: { type: 'string', default: 'core' },
    scenario: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const NODES = 10;
const seed = Number(values.seed);
const artefact = await buildScheduler();
const { facts, prepare } = worldFor(reference);
const chosen = sources.filter(({ scenario }) =>
  values.scenario === undefined ? scenario.profile === values.profile : scenario.id === values.scenario,
);
let [differing, compared] = [0, 0];
for (const { scenario, suite } of chosen) {
  if (whyNotRun(scenario, reference, facts.capabilities) !== undefined) continue;
  const { createWorld } = await prepare(scenario.pools);
  const ours = await verdictOf(scenario, suite, createWorld);
  const real = await verdictOf(scenario, suite, (site) => createWorldWithScheduler(site, artefact));
  compared += 1;
  const isSame = isDeepStrictEqual(ours, real);
  if (!isSame) differing += 1;
  console.log(`${scenario.id}: ${JSON.stringify(ours)}${isSame ? '' : `, with the real scheduler ${JSON.stringify(real)}`}`);
}
console.log(`${compared - differing} of ${compared} verdicts are the same`);
process.exitCode = differing > 0 ? 1 : 0;

interface Judged {
  readonly verdict: string;
  readonly codes: readonly string[];
}

async function verdictOf(scenario: Scenario, suite: string, createWorld: (site: WorldSite) => World): Promise<Judged> {
  const { createTimeline } = await prepare(scenario.pools);
  const timeline = createTimeline(seed, {});
  let text = '';
  const recorder = createRecorder({ nowMs: () => timeline.nowMs(), startMs: timeline.nowMs(), write: (more) => (text += more) });
  const site = { scenario, suite, scenarioDigest: '', target: reference, seed, nodes: NODES, timeline, recorder, createWorld };
  await startTrial(site).done;
  recorder.flush();
  const { events, truncated } = parseHistory(text, scenario.id);
  const { verdict, checks } = judge(events, truncated);
  return { verdict, codes: [...new Set(checks.flatMap(({ findings }) => findings.map(({ code }) => code)))].sort() };
}
