import { parseArgs } from 'node:util';
import { readKubeconfig } from '../../../../clients/kubeconfig.ts';
import { createRealTimeline } from '../../../../runtime/timeline.ts';
import { createHttpWire } from '../../../../wire/http-wire.ts';
import { classesOf, differenceOf, gridOf, gridText } from './compare.ts';
import { askEmbedded } from './embedded.ts';
import { SCRIPTS, SEED, scripts } from './generate.ts';
import { askReal, clean, realServer } from './real.ts';
import { RECORDING } from './recorded.ts';
import { readRecording, writeRecording } from './recording.ts';
import { renumbered } from './answers.ts';
import type { Answer } from './answers.ts';

/**
 * Asks a real API server every random script, compares ours with it, and prints grid, agreement and classes:
 *
 *     npx node world/kube/differential/random/record.ts --kubeconfig FILE [--seed SEED] [--count N] [--write]
 *
 * Without a kubeconfig the answers are those of the recording. Nothing is left in the cluster, after Ctrl-C neither;
 * it should have no other work, and an administrator of it must be the user.
 */
const { values } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    seed: { type: 'string', default: SEED },
    count: { type: 'string', default: String(SCRIPTS) },
    write: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const all = scripts(values.seed, Number(values.count));
const real = values.kubeconfig === undefined ? readRecording<Answer[]>(RECORDING) : await ask(values.kubeconfig);
const asked = all.slice(0, real.answers.length);
const ours = await askEmbedded(asked);
const differences = asked.flatMap((script, index) => {
  const found = differenceOf(script, renumbered(real.answers[index] ?? []), ours[index] ?? []);
  return found === undefined ? [] : [found];
});
console.log(gridText(gridOf(asked, real.answers)));
console.log(
  `\n${asked.length - differences.length} of ${asked.length} scripts agree with ${real.server}: ${((1 - differences.length / asked.length) * 100).toFixed(2)} %`,
);
for (const { name, count, smallest } of classesOf(differences, ({ script }) => script.steps.length)) {
  console.log(
    `\n${count}  ${name}\n   ${smallest.script.id} step ${smallest.step}, real: ${short(smallest.real)}\n   ours: ${short(smallest.ours)}`,
  );
  if (values.verbose)
    console.log(
      `   ${smallest.script.steps.map((step) => `${step.method} ${step.path} ${JSON.stringify(step.body) ?? ''}${step.basis === undefined ? '' : ` on ${step.basis}`}`).join('\n   ')}`,
    );
}
if (values.write) writeRecording({ ...real, answers: real.answers.map(renumbered) }, RECORDING);

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}...` : text;
}

async function ask(kubeconfig: string): Promise<{ server: string; seed: string; answers: Answer[][] }> {
  const http = createHttpWire(await readKubeconfig(kubeconfig));
  const server = realServer(http.wire, createRealTimeline().scope('asker'));
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  try {
    const { text } = await server.send('GET', '/version', {}, undefined);
    const { gitVersion } = JSON.parse(text) as { gitVersion: string };
    return { server: gitVersion, seed: values.seed, answers: await askReal(all, server, stopping.signal) };
  } finally {
    await clean(server);
    http.destroy();
  }
}
