import type { z } from 'zod';
import type { Effect } from '../../../model/operation.ts';
import { serializationRefusal } from '../../../protocols/aws-json/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { Queues } from './queues.ts';

/** The caller, and how long it waits. */
export interface SqsCall {
  readonly queues: Queues;
  readonly caller: Caller;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal | undefined;
}

/** What an operation answers, in the SDK's output type, and its effect. */
export interface SqsOutcome {
  readonly output: object;
  readonly effect: Effect;
}

/** One SQS operation. Refuses by throwing a JsonRefusal. `input` is the request's body as on the wire. */
export type SqsOperation = (call: SqsCall, input: Readonly<Record<string, unknown>>) => Promise<SqsOutcome>;

/** An operation with a typed input. Unknown members are ignored, as SQS does. */
export function operation<I>(schema: z.ZodType<I>, run: (call: SqsCall, input: I) => SqsOutcome | Promise<SqsOutcome>): SqsOperation {
  return async (call, input) => {
    const parsed = schema.safeParse(input);
    if (parsed.success) return run(call, parsed.data);
    const [issue] = parsed.error.issues;
    throw serializationRefusal(`${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'unexpected type'}`);
  };
}

/** The outcome of a read-only operation. */
export function reading(output: object): SqsOutcome {
  return { output, effect: { kind: 'none' } };
}

/** An answer with its effect; no effect if no id is named. */
export function changing(output: object, ids: readonly string[]): SqsOutcome {
  return { output, effect: ids.length === 0 ? { kind: 'none' } : { kind: 'applied', ids } };
}
