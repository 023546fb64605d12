import { parseArgs } from 'node:util';
import { readKubeconfig } from '../../../clients/kubeconfig.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { createHttpWire } from '../../../wire/http-wire.ts';
import { classesOf } from '../../kube/differential/random/compare.ts';
import { readRecording, writeRecording } from '../../kube/differential/random/recording.ts';
import { differenceOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { RealScheduler } from './real.ts';
import { RECORDING, gridText } from './recorded.ts';
import { SEED, SITUATIONS, situations } from './situations.ts';

/**
 * Gives a real scheduler every random situation, compares ours with it, and prints grid, agreement and classes:
 *
 *     npx node world/scheduler/differential/record.ts --kubeconfig FILE [--seed SEED] [--count N] [--write] [--differing]
 *
 * Without a kubeconfig the outcomes are those of the recording. The cluster must have no nodes; nothing is left in it,
 * after Ctrl-C neither. With `--differing` only those are asked whose recorded outcomes differ from ours.
 */
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    seed: { type: 'string', default: SEED },
    count: { type: 'string', default: String(SITUATIONS) },
    write: { type: 'boolean', default: false },
    differing: { type: 'boolean', default: false },
  },
});

const all = situations(values.seed, Number(values.count));
const real = values.kubeconfig === undefined ? readRecording<Outcome[]>(RECORDING) : await ask(values.kubeconfig);
const asked = all.slice(0, real.answers.length);
const differences = asked.flatMap((one, index) => differenceOf(one, real.answers[index] ?? []) ?? []);
console.log(gridText(asked, real.answers));
console.log(
  `\n${asked.length - differences.length} of ${asked.length} situations agree with ${real.server}: ${((1 - differences.length / asked.length) * 100).toFixed(2)} %`,
);
for (const { name, count, smallest } of classesOf(differences, ({ situation }) => JSON.stringify(situation).length)) {
  const { situation, pod, ours } = smallest;
  console.log(`\n${count}  ${name}\n   ${situation.id} pod ${pod}, real: ${JSON.stringify(smallest.real)}`);
  console.log(`   ours: ${JSON.stringify({ nodes: [...ours.nodes], messages: [...ours.messages], preemptions: [...ours.preemptions] })}`);
  console.log(`   ${JSON.stringify(situation.pending[pod]?.spec)} ${JSON.stringify(situation.pending[pod]?.metadata.labels)}`);
  for (const node of situation.nodes) console.log(`   ${JSON.stringify([node.metadata.labels, node.spec, node.status?.allocatable])}`);
  for (const { metadata, spec } of situation.running)
    console.log(`   ${JSON.stringify([metadata, spec.nodeName, spec.affinity, spec.containers[0]?.resources?.requests])}`);
}
if (values.write) writeRecording(real, RECORDING);

async function ask(kubeconfig: string): Promise<{ server: string; seed: string; answers: Outcome[][] }> {
  const http = createHttpWire(await readKubeconfig(kubeconfig));
  const scheduler = new RealScheduler({ wire: http.wire, clock: createRealTimeline().scope('asker') });
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  try {
    const server = await scheduler.prepare();
    const kept = values.differing ? readRecording<Outcome[]>(RECORDING).answers : [];
    const answers: Outcome[][] = [];
    for (const [index, one] of all.entries()) {
      if (stopping.signal.aborted) break;
      const known = kept[index];
      if (known !== undefined && differenceOf(one, known) === undefined) {
        answers.push(known);
        continue;
      }
      let outcomes = await scheduler.ask(one);
      // Watches of pods and nodes are not in step: what looks different is asked once more.
      if (differenceOf(one, outcomes) !== undefined) outcomes = await scheduler.ask(one);
      answers.push(outcomes);
    }
    return { server, seed: values.seed, answers };
  } finally {
    await scheduler.leave();
    http.destroy();
  }
}
