import { isDeepStrictEqual } from 'node:util';
import { readOptions } from '../../command.ts';
import { readRecording, writeRecording } from '../../recording.ts';
import type { Recording } from '../../recording.ts';
import { SCHEDULER_CASES } from '../cases.ts';
import { CASES_RECORDING, decisionsIn } from '../recorded-cases.ts';
import type { Decisions } from '../recorded-cases.ts';
import { buildScheduler } from './build.ts';
import { CaseRunner } from './case-runner.ts';
import { withScheduler } from './run.ts';

/**
 * Runs every scheduler case on a real scheduler in virtual time, and prints the cases that expect something else, which is exit
 * code 1:
 *
 *     npx node fidelity/differential/scheduler/real/record.ts --virtual [--seed SEED] [--write]
 *
 * Without `--virtual` the decisions come from the recording.
 */
const options = readOptions({ seed: 'scheduler-cases', count: SCHEDULER_CASES.length });
const recording = options.virtual ? await record() : readRecording<Decisions>(CASES_RECORDING);
const expected = new Map(SCHEDULER_CASES.map((one) => [one.id, decisionsIn(one.id, one.expected)]));
const differing = recording.answers.filter((real) => !isDeepStrictEqual(real, expected.get(real.id)));
for (const real of differing) console.log(`${JSON.stringify(real)}\n   expected: ${JSON.stringify(expected.get(real.id))}`);
console.log(`${recording.server}: ${recording.answers.length - differing.length} of ${recording.answers.length} cases as expected`);
process.exitCode = differing.length > 0 ? 1 : 0;
if (options.write) writeRecording(recording, CASES_RECORDING);

async function record(): Promise<Recording<Decisions>> {
  const { seed } = options;
  return withScheduler(await buildScheduler(), seed, async (bench) => {
    const runner = new CaseRunner(bench);
    const server = await runner.prepare(SCHEDULER_CASES);
    const answers: Decisions[] = [];
    for (const one of SCHEDULER_CASES.slice(0, options.count)) answers.push(await runner.decisionsOf(one));
    return { server, seed, answers };
  });
}
