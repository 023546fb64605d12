import { parseArgs } from 'node:util';
import { conclusion, problemsOf } from '../agreement.ts';
import { classesOf } from '../difference.ts';
import { readRecording, writeRecording } from '../recording.ts';
import { agreementOf, classText, differencesOf, gridOf, gridText } from '../scripts.ts';
import { runEmbedded, runOnMoto } from './clouds.ts';
import { GRID, nameDifference } from './compare.ts';
import { SCRIPTS, SEED, scripts } from './generate.ts';
import { KNOWN_CLASSES } from './known.ts';
import type { Answer } from './run-script.ts';
import { RECORDING } from './script.ts';

/**
 * Runs every random script on a moto server, compares the emulated Auto Scaling with it, and prints grid, agreement and classes. A
 * class that `known.ts` doesn't allow is exit code 1:
 *
 *     python3 -m moto.server -p 5599
 *     npx node fidelity/differential/autoscaling/record.ts --endpoint http://127.0.0.1:5599 [--seed SEED] [--count N] [--write]
 *
 * Without an endpoint the answers come from the recording. The server is emptied.
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
const { endpoint, seed, count } = options;
const recorded =
  endpoint === undefined
    ? readRecording<Answer[]>(RECORDING)
    : { server: 'moto 5.2.1', seed, answers: await runOnMoto(scripts(seed, Number(count)), endpoint) };
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
