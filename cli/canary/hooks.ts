import { createRealTimeline } from '../../runtime/timeline.ts';
import { createHttpWire } from '../../wire/http-wire.ts';
import { readText } from '../../wire/wire.ts';
import { readKubeconfig } from '../../clients/kubeconfig.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import { substitute, substituteAll } from '../../targets/command/variables.ts';
import type { HOOK_VARIABLES, Hook, PatchHook, Place } from './plan.ts';

export type HookValues = Readonly<Record<(typeof HOOK_VARIABLES)[number], string>>;

/** A hook did not do what it should: says which, for what, and what it said. */
export class HookError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HookError';
  }
}

/** The end of what a program said that is shown. */
const SHOWN = 600;

/**
 * Runs a hook: for each place in turn, or once. It may have been run before for the same places, by a canary that was killed.
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

async function runCommand({ command, timeout }: Hook, values: HookValues, signal: AbortSignal): Promise<void> {
  const [program = '', ...args] = (command ?? []).map((text) => substitute(text, values));
  const environment = Object.fromEntries(Object.entries(values).map(([name, value]) => [`SCALEPROOF_${name}`, value]));
  const end = await createPrograms(environment).run(program, args, { limitMs: timeout, signal });
  signal.throwIfAborted();
  if (end.code === 0) return;
  const how = end.isMissing
    ? 'there is no such program'
    : end.isLate
      ? `it did not end within ${timeout / 1_000} s`
      : `it ended with ${end.code === undefined ? 'a signal' : `exit code ${end.code}`}`;
  const said = `${end.stderr}${end.stdout}`.trim().slice(-SHOWN);
  throw new HookError(`the ${values.ACTION} hook \`${[program, ...args].join(' ')}\`: ${how}${said === '' ? '' : `; it said: ${said}`}`);
}

const CONTENT_TYPES = { strategic: 'application/strategic-merge-patch+json', merge: 'application/merge-patch+json' } as const;

async function patch(hook: PatchHook, place: Place, values: HookValues, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const { apiVersion, resource, namespace, name, type, body } = hook;
  const at = `${resource}${namespace === undefined ? '' : ` ${namespace}`}/${name} in ${place.name}`;
  const fail = (why: string): HookError => new HookError(`the ${values.ACTION} hook can't patch ${at}: ${why}`);
  // The plan is refused where a place has none.
  const access = await readKubeconfig(place.kubeconfig ?? '').catch((error: unknown) => {
    throw fail(error instanceof Error ? error.message : String(error));
  });
  const http = createHttpWire(access);
  const [late, answered] = [new AbortController(), new AbortController()];
  const clock = createRealTimeline().scope('canary hook');
  void clock.sleep(timeoutMs, answered.signal).then(
    () => late.abort(new Error(`there was no answer within ${timeoutMs / 1_000} s`)),
    () => undefined,
  );
  try {
    const response = await http.wire({
      method: 'PATCH',
      path: pathOf(apiVersion, resource, namespace, name),
      headers: { accept: 'application/json', 'content-type': CONTENT_TYPES[type] },
      body: JSON.stringify(substituteAll(body, values)),
      signal: AbortSignal.any([signal, late.signal]),
    });
    const said = await readText(response.body);
    if (response.status >= 300) throw fail(`it answered ${response.status}: ${messageIn(said)}`);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof HookError ? error : fail(error instanceof Error ? error.message : String(error));
  } finally {
    answered.abort();
    http.destroy();
  }
}

function pathOf(apiVersion: string, resource: string, namespace: string | undefined, name: string): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const inside = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${inside}/${resource}/${encodeURIComponent(name)}`;
}

/** A Status's message, or the beginning of whatever it is. */
function messageIn(said: string): string {
  try {
    const { message } = JSON.parse(said) as { message?: unknown };
    if (typeof message === 'string') return message.slice(0, SHOWN);
  } catch {
    // Not from an API server.
  }
  return said.slice(0, SHOWN);
}
