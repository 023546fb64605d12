import { conclusion, problemsOf } from '../../agreement.ts';
import { readOptions, withCluster } from '../../command.ts';
import { classesOf } from '../../difference.ts';
import { readRecording, writeRecording } from '../../recording.ts';
import type { Recording } from '../../recording.ts';
import { buildScheduler } from '../real/build.ts';
import { withScheduler } from '../real/run.ts';
import { KNOWN_CLASSES } from './known.ts';
import { agreementOf, differenceOf } from './outcome.ts';
import type { Outcome } from '../client.ts';
import { RealScheduler } from './real.ts';
import { RECORDING, gridText } from './recorded.ts';
import { SEED, SITUATIONS, situations } from './situations.ts';

/**
 * Runs every random situation on a real scheduler, compares the emulated one with it, and prints grid, agreement and classes. A
 * class that `known.ts` doesn't allow is exit code 1:
 *
 *     npx node fidelity/differential/scheduler/random/record.ts --kubeconfig FILE|--virtual [--seed SEED] [--count N] [--write] [--differing]
 *
 * Without either the outcomes come from the recording. `--virtual` runs a scheduler of its own in virtual time, where no difference
 * is known. The cluster must have no nodes; nothing is left in it, not even after Ctrl-C. With `--differing`, only situations whose recorded outcomes differ from the emulated ones are run.
 */
const options = readOptions({ seed: SEED, count: SITUATIONS });
const recorded = await outcomes();
const cases = situations(recorded.seed, recorded.answers.length);
const differences = cases.flatMap((one, index) => differenceOf(one, recorded.answers[index] ?? []) ?? []);
const classes = classesOf(differences, ({ situation }) => JSON.stringify(situation).length);
console.log(gridText(cases, recorded.answers));
for (const { name, count, smallest } of classes) {
  const { situation, pod, ours, real } = smallest;
  console.log(`\n${count}  ${name}\n   ${situation.id} pod ${pod}, real: ${JSON.stringify(real)}`);
  console.log(`   ours: ${JSON.stringify({ nodes: [...ours.nodes], messages: [...ours.messages], preemptions: [...ours.preemptions] })}`);
  console.log(`   ${JSON.stringify(situation.pending[pod]?.spec)} ${JSON.stringify(situation.pending[pod]?.metadata.labels)}`);
  for (const node of situation.nodes) console.log(`   ${JSON.stringify([node.metadata.labels, node.spec, node.status?.allocatable])}`);
  for (const { metadata, spec } of situation.running)
    console.log(`   ${JSON.stringify([metadata, spec.nodeName, spec.affinity, spec.containers[0]?.resources?.requests])}`);
}
// In virtual time nothing is left to chance that is not compared as a choice.
const problems = problemsOf(classes, options.virtual ? {} : KNOWN_CLASSES);
console.log(conclusion(agreementOf(recorded.answers, differences), recorded.server, problems));
process.exitCode = problems.length > 0 ? 1 : 0;
if (options.write) writeRecording(recorded, RECORDING);

async function outcomes(): Promise<Recording<Outcome[]>> {
  const { kubeconfig, virtual, seed } = options;
  if (kubeconfig !== undefined) return withCluster(kubeconfig, (wire, clock, signal) => record({ wire, clock }, signal));
  if (!virtual) return readRecording<Outcome[]>(RECORDING);
  return withScheduler(await buildScheduler(), seed, (bench) => record(bench));
}

async function record(site: ConstructorParameters<typeof RealScheduler>[0], signal?: AbortSignal): Promise<Recording<Outcome[]>> {
  const { seed, count, differing } = options;
  const scheduler = new RealScheduler(site);
  try {
    const server = await scheduler.prepare();
    const kept = differing ? readRecording<Outcome[]>(RECORDING).answers : [];
    const answers: Outcome[][] = [];
    for (const [index, one] of situations(seed, count).entries()) {
      if (signal?.aborted === true) break;
      const known = kept[index];
      if (known !== undefined && differenceOf(one, known) === undefined) {
        answers.push(known);
        continue;
      }
      let outcomes = await scheduler.run(one);
      // In real time the scheduler's watches of pods and nodes are not synchronized: repeat a differing situation once.
      if (!options.virtual && differenceOf(one, outcomes) !== undefined) outcomes = await scheduler.run(one);
      answers.push(outcomes);
    }
    return { server, seed, answers };
  } finally {
    await scheduler.leave();
  }
}
