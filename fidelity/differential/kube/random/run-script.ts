import { defined } from '../../../../model/defined.ts';
import { mergePatch } from '../../../../protocols/kube/merge-patch.ts';
import type { Answer } from './answers.ts';
import type { Script, Step } from './script.ts';

/** An API server, as used by a script. */
export interface Server {
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** The lines of a watch up to and including the first for which `isLast` is true, or to its end. */
  watch(
    path: string,
    headers: Readonly<Record<string, string>>,
    isLast: (line: string) => boolean,
  ): Promise<{ readonly status: number; readonly lines: readonly string[] }>;
  /** Waits between two polls. */
  pause(): Promise<void>;
}

/** Most polls for a change by a controller. */
const PATIENCE = 100;

/** Runs one script. Returns an answer per step. */
export async function runScript({ steps }: Script, server: Server): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await runStep(step, answers, server));
  return answers;
}

async function runStep(step: Step, answers: readonly Answer[], server: Server): Promise<Answer> {
  const path = filled(step.path, answers);
  const sent = filled(step.basis === undefined ? step.body : mergePatch(answers[step.basis]?.body, step.body), answers);
  const body = sent === undefined ? undefined : JSON.stringify(sent);
  const headers = {
    accept: step.accept ?? 'application/json',
    'user-agent': 'differential/1',
    ...defined({ 'content-type': body === undefined ? undefined : (step.contentType ?? 'application/json') }),
  };
  if (step.operation === 'watch') {
    const { status, lines } = await server.watch(path, headers, (line) => line.includes(`"name":"${step.upTo}"`));
    const events = lines.map((line) => parsed(line) as { type?: string }).filter(({ type }) => type !== 'BOOKMARK');
    return { status, body: { events } };
  }
  if (step.operation === 'pages') return pages(path, headers, server);
  for (let looks = 1; ; looks += 1) {
    const { status, text } = await server.send(step.method, path, headers, body);
    const answer = { status, body: parsed(text) };
    const { until } = step;
    if (until === undefined || looks >= PATIENCE || at(answer.body, until.path) === until.value) return answer;
    await server.pause();
  }
}

/** A list read page by page, as one answer. The number of pages depends on other objects. */
async function pages(path: string, headers: Readonly<Record<string, string>>, server: Server): Promise<Answer> {
  const items: unknown[] = [];
  for (let token = ''; ;) {
    const { status, text } = await server.send(
      'GET',
      token === '' ? path : `${path}&continue=${encodeURIComponent(token)}`,
      headers,
      undefined,
    );
    const body = parsed(text) as { items?: unknown[] | null; metadata?: { continue?: string } };
    if (status !== 200) return { status, body };
    items.push(...(body.items ?? []));
    token = body.metadata?.continue ?? '';
    if (token === '') return { status, body: { ...body, items } };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}

/** A value with each `<<step.path>>` in its strings replaced; by `missing` if there is no such value. */
function filled<T>(value: T, answers: readonly Answer[]): T {
  if (value === undefined) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const full = text.replaceAll(/<<(\d+)\.([\w.]+)>>/g, (_all, step: string, path: string) => {
    const found = at(answers[Number(step)]?.body, path);
    return typeof found === 'string' ? found : 'missing';
  });
  return (typeof value === 'string' ? full : JSON.parse(full)) as T;
}

function at(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
      body,
    );
}
