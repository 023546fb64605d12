import { defined } from '../../../../model/defined.ts';
import { createRandom } from '../../../../runtime/random.ts';
import { createVirtualTimeline } from '../../../../runtime/timeline.ts';
import { isStream, readText } from '../../../../wire/wire.ts';
import { DisruptionBudgets } from '../../../../world/controllers/disruption-budgets.ts';
import { createApiServer } from '../../../../world/kube/api-server.ts';
import type { Answer } from './answers.ts';
import { normalized } from './answers.ts';
import { runScript } from './run-script.ts';
import type { Server } from './run-script.ts';
import { DEFINITION, NAMESPACES } from './script.ts';
import type { Script } from './script.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
/** Time for controllers to react to a request, in virtual time. */
const SETTLE_MS = 20;
/** Most polls for something that takes a moment to appear. */
const PATIENCE = 1_200;
const CALLER = { principal: 'target', incarnation: 1, span: 0 } as const;

/** Runs scripts one after another on the emulated API server, with the disruption controller. */
export async function runEmbedded(scripts: readonly Script[]): Promise<Answer[][]> {
  const random = createRandom('differential');
  const timeline = createVirtualTimeline({ startMs: START_MS, random: random.fork('timeline') });
  const api = createApiServer({ clock: timeline.scope('world'), random: random.fork('kube') });
  const clock = timeline.scope('client');
  const stopping = new AbortController();
  const budgets = new DisruptionBudgets({ port: api.port('workloads'), clock: timeline.scope('budgets'), random: random.fork('budgets') });
  const open = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: string, signal?: AbortSignal) => {
    const request = { method, path, headers, ...defined({ body, signal }) };
    return api.backend.handle(request, api.backend.describe(request), CALLER);
  };
  const server: Server = {
    send: async (method, path, headers, body) => {
      const { status, body: answer } = await open(method, path, headers, body);
      const text = await readText(answer);
      await clock.sleep(SETTLE_MS);
      return { status, text };
    },
    watch: async (path, headers, isLast) => {
      const closing = new AbortController();
      const { status, body } = await open('GET', path, headers, undefined, closing.signal);
      if (!isStream(body)) return { status, lines: [await readText(body)] };
      const lines: string[] = [];
      for await (const line of body) {
        lines.push(String(line));
        if (isLast(String(line))) break;
      }
      closing.abort();
      return { status, lines };
    },
    pause: () => clock.sleep(SETTLE_MS),
  };
  const answers: Answer[][] = [];
  await timeline.run(
    (async () => {
      const running = budgets.run(stopping.signal);
      await prepare(server);
      for (const script of scripts) answers.push(normalized(script, await runScript(script, server)));
      stopping.abort(new Error('all scripts are done'));
      await running;
    })(),
  );
  api.stop();
  return answers;
}

/** Creates the objects that all scripts need. */
export async function prepare(server: Server): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (const name of NAMESPACES) {
    const body = JSON.stringify({ metadata: { name } });
    // The namespace of an earlier run may still be terminating.
    for (let looks = 1; looks <= PATIENCE && (await server.send('POST', '/api/v1/namespaces', headers, body)).status !== 201; looks += 1)
      await server.pause();
  }
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.send('POST', definitions, headers, JSON.stringify(DEFINITION));
  for (let looks = 1; looks <= PATIENCE; looks += 1) {
    const { status } = await server.send('GET', `/apis/${DEFINITION.spec.group}/v1/gadgets`, {}, undefined);
    if (status === 200) return;
    await server.pause();
  }
  throw new Error('the definition is not served');
}
