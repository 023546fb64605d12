import type { Script, Step } from './script.ts';
import { KINDS } from './kinds.ts';

/** A server's answer to one step, with all server-specific values replaced by placeholders. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const CONTROLLED: ReadonlySet<string> = new Set(KINDS.filter(({ controlled }) => controlled).map(({ plural }) => plural));
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/g;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * The answers of a script in comparable form. Identities and versions are replaced by the order of their first appearance, so
 * that a no-op can be distinguished from a change. Times become placeholders. Only the managed fields of applies are kept.
 * Versions and status are dropped for objects that controllers also write.
 */
export function normalized({ steps }: Script, raw: readonly Answer[]): Answer[] {
  const seen = { uids: new Map<string, string>(), versions: new Map<string, string>() };
  const made = raw.map(({ status, body }, index) => {
    const step = steps[index];
    return { status, body: step === undefined ? body : alike(body, { step, ...seen }) };
  });
  return renumbered(made);
}

/** Renumbers placeholders: the versions of lists were dropped. */
function renumbered(answers: readonly Answer[]): Answer[] {
  const [seen, counts] = [new Map<string, string>(), new Map<string, number>()];
  const text = JSON.stringify(answers).replaceAll(/<(uid|version) \d+>/g, (token, what: string) => {
    let known = seen.get(token);
    if (known === undefined) {
      const count = (counts.get(what) ?? 0) + 1;
      counts.set(what, count);
      seen.set(token, (known = `<${what} ${count}>`));
    }
    return known;
  });
  return JSON.parse(text) as Answer[];
}

interface Site {
  readonly step: Step;
  readonly uids: Map<string, string>;
  readonly versions: Map<string, string>;
}

function alike(value: unknown, site: Site, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => alike(one, site, key === 'cells' ? 'cell' : ''));
  if (typeof value === 'object' && value !== null) return alikeObject(value as Readonly<Record<string, unknown>>, site, key);
  if (typeof value !== 'string') return value;
  if (key === 'cell' && /^(\d+[smhd])+$|^<unknown>$/.test(value)) return '<age>';
  if (key === 'uid' && value !== '' && UID.test(value)) return place(site.uids, value, 'uid');
  return (
    value
      .replaceAll(UID, (uid) => place(site.uids, uid, 'uid'))
      .replaceAll(TIME, '<time>')
      // The whole object after the patch.
      .replaceAll(/Invalid value: "\{.*\}"(?=:)/g, 'Invalid value: <object>')
      .replaceAll(/(?<=ResourceVersion in (?:record|precondition): ?\(?)\d+/g, '<version>')
      .replaceAll(/(?<=ResourceVersion in (?:record|the precondition) \()\d+/g, '<version>')
      .replaceAll(/(?<=(?:ResourceVersion in precondition|in record): )\d+/g, '<version>')
      // In a patch as Go prints it.
      .replaceAll(/(?<=map\[.*resourceVersion:)\d+/g, '<version>')
      // Whether the disruption controller has already seen the eviction is a race.
      .replaceAll(/(?<=healthy pods and has )\d+(?= currently)/g, '<count>')
      // A diff of the real server's internal types, at the end of messages about immutable pod fields.
      .replaceAll(/\n(@@ |  ?[a-z]*\.?PodSpec)[^]*$/g, (diff) => (diff.endsWith('\n]') ? ']' : ''))
  );
}

function alikeObject(value: Readonly<Record<string, unknown>>, site: Site, key: string): unknown {
  const isList = 'items' in value || Array.isArray(value['rows']) || Array.isArray(value['events']);
  const controlled = CONTROLLED.has(site.step.resource);
  const result: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    if (name === 'columnDefinitions')
      result[name] = (one as { name?: string; type?: string; priority?: number }[]).map(({ name: column, type, priority }) => ({
        column,
        type,
        priority,
      }));
    else if (name === 'managedFields') {
      const applied = (one as { operation?: string }[]).filter(({ operation }) => operation === 'Apply');
      if (applied.length > 0)
        // The order depends on whether the times fall into the same second.
        result[name] = ordered(
          alike(
            applied.map((entry) => ({ ...entry, time: '<time>' })),
            site,
          ),
          ['manager', 'subresource'],
        );
    } else if (name === 'causes' && Array.isArray(one)) result[name] = distinctCauses(alike(one, site) as unknown[]);
    else if (name === 'continue') continue;
    else if (name === 'resourceVersion' && typeof one === 'string') {
      result[name] = controlled || site.step.operation === 'scale' ? '<version>' : place(site.versions, one, 'version');
    } else if (controlled && name === 'status' && typeof one === 'object') continue;
    else if (controlled && key === 'annotations' && /^(deployment\.kubernetes\.io\/revision|deprecated\.daemonset|node\.alpha)/.test(name))
      continue;
    else if (controlled && name === 'taints' && Array.isArray(one)) {
      const own = (one as { key?: string }[]).filter((taint) => taint.key?.startsWith('node.kubernetes.io/') !== true);
      if (own.length > 0) result[name] = alike(own, site);
    } else if (isList && name === 'metadata')
      result[name] = {
        ...(alikeObject(one as never, site, 'metadata') as object),
        resourceVersion: '<version>',
        ...(has(one, 'continue') ? { continue: (one as { continue: string }).continue === '' ? '' : '<continue>' } : {}),
      };
    else if (controlled && name === 'annotations' && Object.keys(alikeObject(one as never, site, name) as object).length === 0) continue;
    else result[name] = alike(one, site, name);
  }
  return result;
}

function has(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && key in value;
}

/**
 * The real server repeats some errors once per check; how often depends on the kind. It lists conflicts in the order of a Go map,
 * which is random.
 */
function distinctCauses(causes: readonly unknown[]): unknown[] {
  const all = [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()];
  return all.some((cause) => (cause as { reason?: string }).reason === 'FieldManagerConflict') ? ordered(all, ['field', 'message']) : all;
}

/** Objects sorted by these fields. */
function ordered(values: unknown, fields: readonly string[]): unknown[] {
  const keyOf = (value: Readonly<Record<string, unknown>>): string => fields.map((field) => String(value[field])).join('\n');
  return [...(values as Readonly<Record<string, unknown>>[])].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function place(seen: Map<string, string>, value: string, what: string): string {
  let known = seen.get(value);
  if (known === undefined) seen.set(value, (known = `<${what} ${seen.size + 1}>`));
  return known;
}
