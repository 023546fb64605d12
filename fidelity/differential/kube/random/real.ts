import { defined } from '../../../../model/defined.ts';
import type { Clock } from '../../../../runtime/clock.ts';
import { isStream, readText } from '../../../../wire/wire.ts';
import type { Wire } from '../../../../wire/wire.ts';
import { normalized } from './answers.ts';
import type { Answer } from './answers.ts';
import { runScript } from './run-script.ts';
import type { Server } from './run-script.ts';
import { prepare } from './embedded.ts';
import { KINDS, collectionOf } from './kinds.ts';
import { DEFINITION, NAMESPACES } from './script.ts';
import type { Script } from './script.ts';

/** Scripts at once. */
const AT_ONCE = 8;
const PAUSE_MS = 50;
/** The names of objects that scripts create. */
const OBJECT_NAME = /^r\d+(-[a-z0-9]+)?$/;

/** A real API server behind a wire. */
export function realServer(wire: Wire, clock: Clock): Server {
  return {
    send: async (method, path, headers, body) => {
      const answer = await wire({ method, path, headers, ...defined({ body }) });
      return { status: answer.status, text: await readText(answer.body) };
    },
    watch: async (path, headers, isLast) => {
      const answer = await wire({ method: 'GET', path, headers });
      if (!isStream(answer.body) || answer.status !== 200) return { status: answer.status, lines: [await readText(answer.body)] };
      const lines: string[] = [];
      let rest = '';
      for await (const chunk of answer.body) {
        const parts = (rest + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
        if (parts.some(isLast)) break;
      }
      return { status: answer.status, lines };
    },
    pause: () => clock.sleep(PAUSE_MS),
  };
}

/**
 * Runs every script on a real API server, some at once.
 * @param signal stops the run; scripts that did not run have no answers
 */
export async function runOnRealServer(scripts: readonly Script[], server: Server, signal: AbortSignal): Promise<Answer[][]> {
  await prepare(server);
  // Pods are refused until their namespace has its service account.
  for (const name of NAMESPACES) {
    const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    for (let looks = 1; looks <= 1_200 && (await server.send('GET', account, {}, undefined)).status !== 200; looks += 1)
      await server.pause();
  }
  const answers: Answer[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < scripts.length && !signal.aborted; index = next++) {
      const script = scripts[index];
      if (script !== undefined) answers[index] = normalized(script, await runScript(script, server));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

/** Removes all objects that scripts left behind, also those with finalizers or without their label. */
export async function clean(server: Server): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  for (const kind of KINDS) {
    for (const namespace of kind.namespaced ? NAMESPACES : ['']) {
      const collection = collectionOf(kind, namespace);
      const { status, text } = await server.send('GET', collection, {}, undefined);
      if (status !== 200) continue;
      const { items } = JSON.parse(text) as { items: { metadata: { name: string; finalizers?: string[] } }[] };
      for (const { metadata } of items.filter(({ metadata: { name } }) => OBJECT_NAME.test(name))) {
        const path = `${collection}/${metadata.name}`;
        if (metadata.finalizers !== undefined)
          await server.send('PATCH', path, headers, JSON.stringify({ metadata: { finalizers: null } }));
        // Other namespaced objects are deleted with their namespace.
        if (!kind.namespaced || kind.plural === 'pods')
          await server.send('DELETE', path, { 'content-type': 'application/json' }, JSON.stringify({ gracePeriodSeconds: 0 }));
      }
    }
  }
  for (const name of NAMESPACES) await server.send('DELETE', `/api/v1/namespaces/${name}`, {}, undefined);
  await server.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${DEFINITION.metadata.name}`, {}, undefined);
}
