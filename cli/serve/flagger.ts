import { z } from 'zod';
import type { GateJob } from './jobs.ts';

/**
 * Webhooks of Flagger. It waits 10 s for an answer, takes 200 to 202 for yes and everything above for no, and what no means
 * depends on the hook. A gate takes longer: it is started, and its verdict is told when it is asked for again.
 * Sources: fluxcd/flagger `docs/gitbook/usage/webhooks.md`, `pkg/controller/webhook.go`.
 */

/**
 * What Flagger posts. It sends no headers of its users', so `metadata` holds what they have to say: the token, and which targets and
 * versions are meant. Of an event it holds that event.
 */
export const flaggerPayloadSchema = z.object({
  name: z.string().min(1),
  namespace: z.string().min(1),
  phase: z.string(),
  /** Of the canary's spec: the same for each repetition, another one for the next version. */
  checksum: z.string().min(1),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type FlaggerPayload = z.infer<typeof flaggerPayloadSchema>;

/** All but `confirm-rollout`: it is asked before Flagger has noted the new version, so its checksum is the old one's. */
export const FLAGGER_HOOKS = [
  'pre-rollout',
  'rollout',
  'confirm-traffic-increase',
  'confirm-promotion',
  'post-rollout',
  'rollback',
  'event',
] as const;
export type FlaggerHook = (typeof FLAGGER_HOOKS)[number];

/** Whether a hook starts a gate where there is none. */
export function startsGate(hook: FlaggerHook): boolean {
  return hook === 'pre-rollout' || hook === 'rollout';
}

/** Whether a hook only tells what happened. */
export function isNews(hook: FlaggerHook): boolean {
  return hook === 'post-rollout' || hook === 'event';
}

/** What Flagger is told. */
export interface FlaggerAnswer {
  readonly status: 200 | 409;
  readonly message: string;
}

const yes = (message: string): FlaggerAnswer => ({ status: 200, message });
const no = (message: string): FlaggerAnswer => ({ status: 409, message });

/**
 * Answers a hook.
 * - `confirm-*`: Flagger waits, and rolls nothing back, until the answer is yes: only a gate that passed says so. Unknown holds.
 * - `pre-rollout`, `rollout`: each no is a failed check, and enough of them roll back: only a gate that failed says so.
 * - `rollback`: a yes rolls back at once: only a gate that failed says so.
 * - `post-rollout`, `event`: news.
 * @param job the gate of this rollout, if there is one
 */
export function answerFlagger(hook: FlaggerHook, job: GateJob | undefined): FlaggerAnswer {
  const result = job?.result;
  const open = job === undefined ? 'no gate was asked for' : `${job.id} is ${job.status}`;
  switch (hook) {
    case 'confirm-traffic-increase':
    case 'confirm-promotion':
      return result?.verdict === 'pass' ? yes(result.reason) : no(result?.reason ?? open);
    case 'pre-rollout':
    case 'rollout':
      return result?.verdict === 'fail' ? no(result.reason) : yes(result?.reason ?? open);
    case 'rollback':
      return result?.verdict === 'fail' ? yes(result.reason) : no(result?.reason ?? open);
    case 'post-rollout':
    case 'event':
      return yes('noted');
  }
}
