import { judge } from '../../checks/judge.ts';
import type { Judgement } from '../../checks/judge.ts';
import { parseHistory } from '../../history/reader.ts';
import type { HistoryEvent } from '../../history/events.ts';
import { createRecorder } from '../../history/writer.ts';
import { defined } from '../../model/defined.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import type { Target } from '../../targets/target.ts';
import { createEmbeddedWorld } from '../../world/embedded.ts';
import type { World, WorldSite } from '../../world/world.ts';
import type { CrashSpec } from '../crash-points.ts';
import { startTrial } from '../engine.ts';
import { DEFAULT_NODES } from '../trial-spec.ts';
import type { Scenario } from '../scenario.ts';

/** Runs one trial in this process, as a child does in its own. For tests of the engine. */
export async function runInProcess(
  scenario: Scenario,
  target: Target,
  seed = 1,
  crash?: CrashSpec,
  withoutUpgrade?: true,
): Promise<{ events: HistoryEvent[]; judgement: Judgement }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(seed).fork('clock') });
  let text = '';
  const recorder = createRecorder({
    nowMs: () => timeline.nowMs(),
    startMs: 0,
    write: (lines) => {
      text += lines;
    },
  });
  const createWorld = (of: WorldSite): World => createEmbeddedWorld(of, defined({ targetAccount: target.serviceAccount }));
  const site = { suite: 'test', scenarioDigest: '0'.repeat(64), timeline, recorder, createWorld };
  await startTrial({ scenario, target, seed, nodes: DEFAULT_NODES, ...site, ...defined({ crash, withoutUpgrade }) }).done;
  recorder.flush();
  const { events, truncated } = parseHistory(text, 'history');
  return { events, judgement: judge(events, truncated) };
}
