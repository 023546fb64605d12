import { z } from 'zod';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import { readText } from '../../wire/wire.ts';
import { readKubeconfig } from '../../clients/kubeconfig.ts';
import { substituteAll } from '../../targets/command/variables.ts';
import type { HOOK_VARIABLES, Hook, PatchHook, Place } from './plan.ts';
import { describeEnd, runProgram } from './programs.ts';

export type HookValues = Readonly<Record<(typeof HOOK_VARIABLES)[number], string>>;

/** A hook failed. The message says which one, where, and what it printed. */
export class HookError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HookError';
  }
}

/** Characters of a server's response that an error message shows. */
const MAX_SHOWN = 600;

/**
 * Runs a hook: for each place in turn, or once. A canary that was killed may have run it for the same places already.
 * @throws HookError at the first that fails
 * @throws the signal's reason when it is aborted
 */
export async function runHook(
  hook: Hook,
  places: readonly Place[],
  values: Omit<HookValues, 'PLACE' | 'PLACES'>,
  signal: AbortSignal,
): Promise<void> {
  const all = { ...values, PLACES: places.map(({ name }) => name).join(',') };
  if (hook.for === 'stage') return runCommand(hook, { ...all, PLACE: '' }, signal);
  for (const place of places) {
    signal.throwIfAborted();
    const here = { ...all, PLACE: place.name };
    if (hook.patch !== undefined) await patch(hook.patch, place, here, hook.timeout, signal);
    else await runCommand(hook, here, signal);
  }
}

async function runCommand({ command = [], timeout }: Hook, values: HookValues, signal: AbortSignal): Promise<void> {
  const { end, line } = await runProgram(command, values, { limitMs: timeout, signal });
  if (end.code !== 0) throw new HookError(`the ${values.ACTION} hook \`${line}\`: ${describeEnd(end, timeout)}`);
}

const CONTENT_TYPES = { strategic: 'application/strategic-merge-patch+json', merge: 'application/merge-patch+json' } as const;

/** Between two polls of a rollout. */
const ROLL_OUT_POLL_MS = 2_000;

/** Patches, and waits until a workload is rolled out: until then the baseline still runs, and probes would not test the candidate. */
async function patch(hook: PatchHook, place: Place, values: HookValues, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const { apiVersion, resource, namespace, name, type, body } = hook;
  const at = `${resource}${namespace === undefined ? '' : ` ${namespace}`}/${name} in ${place.name}`;
  const fail = (why: string): HookError => new HookError(`the ${values.ACTION} hook can't patch ${at}: ${why}`);
  // The plan is rejected if a place has no kubeconfig.
  const access = await readKubeconfig(place.kubeconfig ?? '').catch((error: unknown) => {
    throw fail(error instanceof Error ? error.message : String(error));
  });
  const http = createHttpWire(access);
  const [late, done] = [new AbortController(), new AbortController()];
  const clock = createRealTimeline().scope('canary hook');
  const until = AbortSignal.any([signal, late.signal]);
  let what = 'there was no response';
  void clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(new Error(`${what} within ${timeoutMs / 1_000} s`)),
    () => undefined,
  );
  const ask = async (method: string, headers: Record<string, string>, sent: { body?: string }): Promise<unknown> => {
    const path = pathOf(apiVersion, resource, namespace, name);
    const answer = await http.wire({ method, path, headers: { accept: 'application/json', ...headers }, ...sent, signal: until });
    const text = await readText(answer.body);
    if (answer.status >= 300) throw fail(`it answered ${answer.status}: ${messageIn(text)}`);
    return JSON.parse(text) as unknown;
  };
  try {
    let object = await ask('PATCH', { 'content-type': CONTENT_TYPES[type] }, { body: JSON.stringify(substituteAll(body, values)) });
    const isWorkload = apiVersion === 'apps/v1' && ['deployments', 'statefulsets'].includes(resource);
    for (what = 'the rollout did not finish'; isWorkload && !isRolledOut(object); object = await ask('GET', {}, {}))
      await clock.sleep(ROLL_OUT_POLL_MS, until);
  } catch (error) {
    signal.throwIfAborted();
    const why = late.signal.aborted ? (late.signal.reason as Error) : error;
    throw why instanceof HookError ? why : fail(why instanceof Error ? why.message : String(why));
  } finally {
    done.abort();
    http.destroy();
  }
}

const count = z.number().default(0);
const rollOutSchema = z.object({
  metadata: z.object({ generation: count }),
  spec: z.object({ replicas: z.number().default(1) }),
  status: z.object({ observedGeneration: count, replicas: count, updatedReplicas: count, availableReplicas: count }).prefault({}),
});

/** As `kubectl rollout status` does for a Deployment or a StatefulSet: all replicas are updated and available, and no old one is left. */
function isRolledOut(object: unknown): boolean {
  const parsed = rollOutSchema.safeParse(object);
  if (!parsed.success) return false;
  const { metadata, spec, status } = parsed.data;
  const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status;
  return (
    observedGeneration >= metadata.generation &&
    updatedReplicas >= spec.replicas &&
    replicas <= updatedReplicas &&
    availableReplicas >= updatedReplicas
  );
}

function pathOf(apiVersion: string, resource: string, namespace: string | undefined, name: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${inside}/${resource}/${encodeURIComponent(name)}`;
}

/** The message of a Status, or the start of any other response. */
function messageIn(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === 'string') return message.slice(0, MAX_SHOWN);
  } catch {
    // Not from an API server.
  }
  return body.slice(0, MAX_SHOWN);
}
