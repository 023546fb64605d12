import { conclusion, problemsOf } from '../../agreement.ts';
import { readOptions } from '../../command.ts';
import { classesOf } from '../../difference.ts';
import { readRecording, writeRecording } from '../../recording.ts';
import type { Recording } from '../../recording.ts';
import type { Outcome } from '../client.ts';
import { buildScheduler } from '../real/build.ts';
import { CaseRunner } from '../real/case-runner.ts';
import { withScheduler } from '../real/run.ts';
import { STORAGE_KNOWN } from '../random/known.ts';
import { STORAGE_RECORDING, caseDifference } from './outcome.ts';
import { STORAGE_CASES, STORAGE_SEED, storageCases } from './situations.ts';

/**
 * Runs every random case with storage on a real scheduler in virtual time, compares the emulated one with it, and prints agreement
 * and classes. A class that `random/known.ts` doesn't allow is exit code 1:
 *
 *     npx node fidelity/differential/scheduler/storage/record.ts --virtual [--seed SEED] [--count N] [--write]
 *
 * Without `--virtual` the outcomes come from the recording.
 */
const options = readOptions({ seed: STORAGE_SEED, count: STORAGE_CASES });
const recorded = options.virtual ? await record() : readRecording<Outcome>(STORAGE_RECORDING);
const cases = storageCases(recorded.seed, recorded.answers.length);
const differences = recorded.answers.flatMap((real, index) => {
  const one = cases[index];
  return one === undefined ? [] : (caseDifference(one, real) ?? []);
});
const classes = classesOf(differences, ({ situation }) => JSON.stringify(situation).length);
for (const { name, count, smallest } of classes) {
  const { situation, real, ours } = smallest;
  console.log(`\n${count}  ${name}\n   ${situation.id}, real: ${JSON.stringify(real)}`);
  console.log(`   ours: ${JSON.stringify({ nodes: [...ours.nodes], messages: [...ours.messages], preemptions: [...ours.preemptions] })}`);
  if (options.verbose) console.log(`   ${JSON.stringify(situation)}`);
}
const problems = problemsOf(classes, STORAGE_KNOWN);
const agreement = { cases: cases.length, agreeing: cases.length - differences.length, answers: cases.length };
console.log(conclusion(agreement, recorded.server, problems));
process.exitCode = problems.length > 0 ? 1 : 0;
if (options.write) writeRecording(recorded, STORAGE_RECORDING);

async function record(): Promise<Recording<Outcome>> {
  const { seed, count } = options;
  return withScheduler(await buildScheduler(), seed, async (bench) => {
    const all = storageCases(seed, count);
    const runner = new CaseRunner(bench);
    const server = await runner.prepare(all);
    const answers: Outcome[] = [];
    for (const one of all) answers.push(await runner.run(one));
    return { server, seed, answers };
  });
}
