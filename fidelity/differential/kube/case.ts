import { defined } from '../../../model/defined.ts';

/**
 * A case is a sequence of requests to an API server. It uses its own object names, so cases are independent, and they can be run on
 * a real API server and on the emulated one.
 */
export interface ApiCase {
  /** Unique; part of the names of the case's objects. */
  readonly id: string;
  readonly steps: readonly Step[];
}

/** One request, and the compared parts of its answer besides status, reason, message and causes. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** JSON by default. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Paths into the answer, dot-separated, with indexes into lists: `spec.tolerations.0.key`. */
  readonly look?: readonly string[];
  /** More headers: whom the request impersonates. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Repeated (bounded) while the answer has one of these statuses, by default 404 and 429: a defined resource is served, and a role
   * counts, a moment later.
   */
  readonly patient?: true | readonly number[];
  /** Repeated (bounded) until the answer has this status: an admission policy works a moment later. */
  readonly until?: number;
  /** What later steps send of the answer: a path into it, by the word that stands for it in their bodies. */
  readonly keep?: Readonly<Record<string, string>>;
  /** Whether the answer's warnings are compared. */
  readonly warnings?: boolean;
}

/** The compared parts of an answer. */
export interface Answer {
  readonly status: number;
  readonly reason?: string;
  readonly message?: string;
  readonly causes?: readonly string[];
  readonly look?: Readonly<Record<string, unknown>>;
  /** The header `Warning`. */
  readonly warnings?: string;
}

/** Sends one request to an API server. */
export type Send = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
) => Promise<{ readonly status: number; readonly text: string; readonly warnings?: string }>;

/** Reduces an answer to its compared parts. Replaces identities, versions and times by placeholders, and drops diffs. */
export function answerOf(status: number, text: string, look: readonly string[] = []): Answer {
  const body = parse(text);
  if (status >= 400) {
    const { reason, message, details } = (body ?? {}) as { reason?: string; message?: string; details?: { causes?: Cause[] } };
    const causes = details?.causes?.map((cause) => `${cause.field ?? ''}: ${cause.reason ?? ''}: ${cause.message ?? ''}`);
    return {
      status,
      ...defined({ reason }),
      message: alike(message ?? text.trim()),
      ...defined({ causes: causes?.map(alike) }),
    };
  }
  if (look.length === 0) return { status };
  return { status, look: Object.fromEntries(look.map((path) => [path, seen(body, path)])) };
}

interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The texts that a step keeps of its answer. */
export function keptOf(text: string, keep: NonNullable<Step['keep']>): [word: string, text: string][] {
  const body = parse(text);
  return Object.entries(keep).map(([word, path]) => {
    const value = valueAt(body, path);
    return [word, typeof value === 'string' ? value : ''];
  });
}

function valueAt(body: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return key === '#' ? Object.keys(at).length : (at as Readonly<Record<string, unknown>>)[key];
  }, body);
}

/** Absent values are null, since fixtures are JSON. */
function seen(body: unknown, path: string): unknown {
  const value = valueAt(body, path);
  return typeof value === 'string' ? alike(value) : (value ?? null);
}

function alike(text: string): string {
  return (
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
      // As a server is told; kubeadm says the longer one.
      .replaceAll(/https:\/\/kubernetes\.default\.svc(\.cluster\.local)?(?="|$)/g, '<issuer>')
      .replaceAll(/(?<=ResourceVersion in record \()\d+/g, '<revision>')
      // A diff of the real server's internal types, at the end of messages about immutable pod fields.
      .replaceAll(/\n@@ [^]*$/g, '')
      .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g, '<time>')
  );
}
