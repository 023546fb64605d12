import { z } from 'zod';
import type { GateJob } from './jobs.ts';

/**
 * Webhooks of Flagger. It waits 10 s for a response and treats 200 to 202 as yes and everything above as no; what no means depends
 * on the hook. A gate takes longer: the first request starts it, and later ones get its verdict.
 * Sources: fluxcd/flagger `docs/gitbook/usage/webhooks.md`, `pkg/controller/webhook.go`.
 */

/**
 * What Flagger posts. It can't send custom headers, so users put the token, targets and versions in `metadata`. For an event,
 * `metadata` holds the event.
 */
export const flaggerPayloadSchema = z.object({
  name: z.string().min(1),
  namespace: z.string().min(1),
  phase: z.string(),
  /** Of the canary's spec: it stays the same for repeated requests, and changes with the next version. */
  checksum: z.string().min(1),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type FlaggerPayload = z.infer<typeof flaggerPayloadSchema>;

/** All but `confirm-rollout`: Flagger calls it before it has recorded the new version, so its checksum is that of the old one. */
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

/** Whether a hook starts a gate if there is none. */
export function startsGate(hook: FlaggerHook): boolean {
  return hook === 'pre-rollout' || hook === 'rollout';
}

/** Whether a hook only reports what happened. */
export function isNotification(hook: FlaggerHook): boolean {
  return hook === 'post-rollout' || hook === 'event';
}

/** The response to Flagger. */
export interface FlaggerAnswer {
  readonly status: 200 | 409;
  readonly message: string;
}

const yes = (message: string): FlaggerAnswer => ({ status: 200, message });
const no = (message: string): FlaggerAnswer => ({ status: 409, message });

/**
 * Answers a hook.
 * - `confirm-*`: Flagger waits, without rolling back, until the answer is yes. Only a gate that passed says yes. Unknown holds.
 * - `pre-rollout`, `rollout`: each no is a failed check, and enough of them roll back. Only a gate that failed says no.
 * - `rollback`: a yes rolls back at once. Only a gate that failed says yes.
 * - `post-rollout`, `event`: notifications.
 * @param job the gate of this rollout, if there is one
 */
export function answerFlagger(hook: FlaggerHook, job: GateJob | undefined): FlaggerAnswer {
  const result = job?.result;
  const open = job === undefined ? 'no gate was requested' : `${job.id} is ${job.status}`;
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
