import { parseArgs } from 'node:util';
import { createRandom } from '../../../runtime/random.ts';
import { createRealTimeline } from '../../../runtime/timeline.ts';
import { conclusion, problemsOf } from '../agreement.ts';
import { readRecording, writeRecording } from '../recording.ts';
import type { Recording } from '../recording.ts';
import type { Answer } from './run-script.ts';
import { classesOf } from '../difference.ts';
import { agreementOf, classText, differencesOf, gridOf, gridText } from '../scripts.ts';
import { GRID, nameDifference } from './compare.ts';
import { runEmbedded } from './embedded.ts';
import { SCRIPTS, SEED, scripts } from './generate.ts';
import { KNOWN_CLASSES } from './known.ts';
import { runOnLocalStack } from './real.ts';
import { RECORDING } from './recorded.ts';

/**
 * Runs every random script on a LocalStack, compares the emulated services with it, and prints grid, agreement and classes. A class
 * that `known.ts` doesn't allow is exit code 1:
 *
 *     npx node fidelity/differential/aws/record.ts --endpoint URL [--seed SEED] [--count N] [--write] [--verbose]
 *
 * Without an endpoint the answers come from the recording. Each script has its own account, and all are emptied at the end, also
 * after Ctrl-C; LocalStack lists terminated instances forever.
 */
const { values: options } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    seed: { type: 'string', default: SEED },
    count: { type: 'string', default: String(SCRIPTS) },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const recorded = options.endpoint === undefined ? readRecording<Answer[]>(RECORDING) : await record(options.endpoint);
const cases = scripts(recorded.seed, recorded.answers.length);
const differences = differencesOf(cases, recorded.answers, await runEmbedded(cases), nameDifference);
const classes = classesOf(differences, ({ script }) => script.steps.length);
console.log(gridText(gridOf(GRID, cases, recorded.answers)));
for (const one of classes) {
  const { script, step } = one.smallest;
  console.log(classText(one));
  for (const { operation, input } of options.verbose ? script.steps.slice(0, step + 1) : [])
    console.log(`   ${operation} ${JSON.stringify(input)}`);
}
const problems = problemsOf(classes, KNOWN_CLASSES);
console.log(conclusion(agreementOf(cases, differences), recorded.server, problems));
process.exitCode = problems.length > 0 ? 1 : 0;
if (options.write) writeRecording(recorded, RECORDING);

async function record(url: string): Promise<Recording<Answer[]>> {
  const { seed, count } = options;
  const clock = createRealTimeline().scope('client');
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  const site = { url, clock, random: createRandom(seed), signal: stopping.signal };
  const { version, answers } = await runOnLocalStack(scripts(seed, Number(count)), site);
  return { server: `LocalStack ${version}`, seed, answers };
}
