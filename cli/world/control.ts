import { z } from 'zod';
import { defined } from '../../model/defined.ts';
import { asText } from '../../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../../wire/wire.ts';
import { InjectionError } from './injections.ts';
import type { Injections } from './injections.ts';

/** The environment variable with the control URL of a world. */
export const CONTROL_VARIABLE = 'SCALEPROOF_WORLD';

const injectionSchema = z.object({ fault: z.string(), params: z.unknown().optional() });

/** Required, because web pages in a browser can send requests to loopback, too, but need a CORS preflight for custom headers. */
const CLIENT_HEADER = 'x-scaleproof';

/**
 * The control API of a running world, as a wire: `GET /faults` lists what is injected, `POST /faults` with
 * `{"fault": NAME, "params": {...}}` injects, `DELETE /faults/ID` heals. Every request has the header `x-scaleproof: 1`.
 */
export function createControl(injections: Injections): Wire {
  return async (request) => {
    if (request.headers[CLIENT_HEADER] === undefined) return json(403, { message: `the header ${CLIENT_HEADER} is missing` });
    try {
      return await serve(injections, request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return json(error instanceof InjectionError ? error.status : 500, { message });
    }
  };
}

async function serve(injections: Injections, { method, path, body }: WireRequest): Promise<WireResponse> {
  const id = /^\/faults\/([^/]+)$/.exec(path)?.[1];
  if (method === 'GET' && path === '/faults') return json(200, injections.list());
  if (method === 'POST' && path === '/faults') {
    const parsed = injectionSchema.safeParse(parse(body === undefined ? '' : asText(body)));
    if (!parsed.success) return json(400, { message: 'the body must be {"fault": NAME, "params": {...}}' });
    return json(201, await injections.inject(parsed.data.fault, parsed.data.params ?? {}));
  }
  if (method === 'DELETE' && id !== undefined) return json(200, await injections.heal(id));
  return json(404, { message: `${method} ${path}: unknown; use GET /faults, POST /faults or DELETE /faults/ID` });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function json(status: number, value: unknown): WireResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value)}\n` };
}

/** The body of an error response. */
const refusalSchema = z.object({ message: z.string() });
const answerSchema = z.object({ id: z.string(), fault: z.string(), description: z.string(), firings: z.number() });
export type ControlAnswer = z.infer<typeof answerSchema>;
const answersSchema = z.union([z.array(answerSchema), answerSchema.transform((one) => [one])]);

/** Sends a request to the control API of a running world. @throws Error with the API's message, or that no world answers */
export async function askControl(base: string, method: string, path: string, body?: unknown): Promise<readonly ControlAnswer[]> {
  const headers = { [CLIENT_HEADER]: '1' };
  let answer: Response;
  try {
    answer = await fetch(new URL(path, base), {
      method,
      headers,
      ...defined({ body: body === undefined ? undefined : JSON.stringify(body) }),
    });
  } catch {
    throw new Error(`no world answers at ${base}; start one with: scaleproof world up`);
  }
  const value = parse(await answer.text());
  const answers = answersSchema.safeParse(value);
  if (answer.ok && answers.success) return answers.data;
  const refusal = refusalSchema.safeParse(value);
  throw new Error(!answer.ok && refusal.success ? refusal.data.message : `the server at ${base} is not the control API of a world`);
}
