import type { Answer } from './answers.ts';
import { conclusion, problemsOf } from '../../agreement.ts';
import { readOptions, withCluster } from '../../command.ts';
import { classesOf } from '../../difference.ts';
import { agreementOf, classText, differencesOf, gridOf, gridText } from '../../scripts.ts';
import { GRID, nameDifference } from './compare.ts';
import { runEmbedded } from './embedded.ts';
import { SCRIPTS, SEED, scripts } from './generate.ts';
import { KNOWN_BEYOND, KNOWN_CLASSES } from './known.ts';
import { runOnRealServer, clean, realServer } from './real.ts';
import { RECORDING } from './recorded.ts';
import { readRecording, writeRecording } from '../../recording.ts';
import type { Recording } from '../../recording.ts';

/**
 * Runs every random script on a real API server, compares the emulated one with it, and prints grid, agreement and classes. A class
 * that `known.ts` doesn't allow is exit code 1:
 *
 *     npx node fidelity/differential/kube/random/record.ts --kubeconfig FILE [--seed SEED] [--count N] [--write] [--verbose]
 *
 * Without a kubeconfig the answers come from the recording. Nothing is left in the cluster, not even after Ctrl-C. The cluster
 * should have no other work, and the user must be an administrator.
 */
const options = readOptions({ seed: SEED, count: SCRIPTS });
const recorded = options.kubeconfig === undefined ? readRecording<Answer[]>(RECORDING) : await record(options.kubeconfig);
const cases = scripts(recorded.seed, recorded.answers.length);
const differences = differencesOf(cases, recorded.answers, await runEmbedded(cases), nameDifference);
const classes = classesOf(differences, ({ script }) => script.steps.length);
console.log(gridText(gridOf(GRID, cases, recorded.answers)));
for (const one of classes) {
  const { script } = one.smallest;
  console.log(classText(one));
  for (const { method, path, body, basis } of options.verbose ? script.steps : [])
    console.log(`   ${method} ${path} ${JSON.stringify(body) ?? ''}${basis === undefined ? '' : ` on ${basis}`}`);
}
const problems = problemsOf(classes, KNOWN_CLASSES, cases.length > SCRIPTS ? KNOWN_BEYOND : {});
console.log(conclusion(agreementOf(cases, differences), recorded.server, problems));
process.exitCode = problems.length > 0 ? 1 : 0;
if (options.write) writeRecording(recorded, RECORDING);

async function record(kubeconfig: string): Promise<Recording<Answer[]>> {
  const { seed, count } = options;
  return withCluster(kubeconfig, async (wire, clock, signal) => {
    const server = realServer(wire, clock);
    try {
      const { text } = await server.send('GET', '/version', {}, undefined);
      const { gitVersion } = JSON.parse(text) as { gitVersion: string };
      return { server: gitVersion, seed, answers: await runOnRealServer(scripts(seed, count), server, signal) };
    } finally {
      await clean(server);
    }
  });
}
