import { createHash } from 'node:crypto';
import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { z } from 'zod';
import { KARPENTER, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';

/** A CreateFleet request without its token, as plain JSON: it is sent byte for byte as persisted. */
export type FleetRequest = Omit<CreateFleetCommandInput, 'ClientToken'>;

/** One attempt to launch the instance of a claim, as stored in the claim's annotation. */
export interface Attempt {
  /** Counts from 1; part of the client token, together with the claim's uid. */
  readonly number: number;
  readonly request: FleetRequest;
  /**
   * `open`: it may have been sent, or may still be; the next reconcile sends it again. `closed`: EC2 responded that it launched
   * no instance. `lost`: EC2 refused to say what the token launched; an instance is searched by tag.
   */
  readonly state: 'open' | 'closed' | 'lost';
  /** When it became lost, in ms since the epoch. */
  readonly lostAtMs?: number | undefined;
  /** How many attempts in a row were refused for a reason other than capacity, this one included. */
  readonly refusals?: number | undefined;
  /** The next attempt may be made from then on, in ms since the epoch: writing this attempt causes a reconcile at once. */
  readonly nextFromMs?: number | undefined;
}

/** Passed on unchanged: a parser would reorder its keys. */
const requestSchema = z.custom<FleetRequest>(
  (value) => z.object({ LaunchTemplateConfigs: z.array(z.object({})), TargetCapacitySpecification: z.object({}) }).safeParse(value).success,
);

const attemptSchema: z.ZodType<Attempt> = z.object({
  number: z.number().int().positive(),
  request: requestSchema,
  state: z.enum(['open', 'closed', 'lost']),
  lostAtMs: z.number().optional(),
  refusals: z.number().int().positive().optional(),
  nextFromMs: z.number().optional(),
});

/** The attempt in a claim's annotation; undefined if there is none yet. @throws Error if it can't be parsed */
export function readAttempt(claim: NodeClaim): Attempt | undefined {
  const text = claim.metadata.annotations?.[KARPENTER.launch];
  if (text === undefined) return undefined;
  const parsed = attemptSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`annotation ${KARPENTER.launch} can't be read: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The annotation that persists an attempt. */
export function writeAttempt(attempt: Attempt): Record<string, string> {
  return { [KARPENTER.launch]: JSON.stringify(attempt) };
}

/**
 * The client token of an attempt: the same after a crash, different for each attempt. A token whose response had no instances is
 * used up. Tokens are at most 64 ASCII characters long.
 */
export function clientToken(claim: NodeClaim, attempt: Attempt): string {
  return createHash('sha256')
    .update(`${uidOf(claim)}/${attempt.number}`)
    .digest('hex');
}
