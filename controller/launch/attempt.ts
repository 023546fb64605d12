import { createHash } from 'node:crypto';
import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { z } from 'zod';
import { KARPENTER, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';

/** A CreateFleet request without its token, as plain JSON: it is sent byte for byte as persisted. */
export type FleetRequest = Omit<CreateFleetCommandInput, 'ClientToken'>;

/**
 * A launch that several claims share: one request for an instance each. The first of them, its leader, stores the request, and
 * stores it last: it was sent only if the leader's claim has it.
 */
export interface SharedLaunch {
  /** The request's client token, and the value of the tag of its instances. */
  readonly token: string;
  /** How many claims it was planned for. */
  readonly size: number;
  /** This claim's place among them, from 0, which is the leader's. */
  readonly index: number;
  readonly leader: {
    readonly name: string;
    readonly uid: string;
    /** The resource version at which it has to be for its attempt to be written. */
    readonly version: string;
  };
  /** In the leader's only, the places of those that did not store it: the request asks for so many instances less. */
  readonly absent?: readonly number[] | undefined;
}

/** One attempt to launch the instance of a claim, as stored in the claim's annotation. */
export interface Attempt {
  /** Counts from 1; part of the client token, together with the claim's uid. */
  readonly number: number;
  /** In a shared launch the leader's is sent; that of the others has no offerings. */
  readonly request: FleetRequest;
  readonly shared?: SharedLaunch | undefined;
  /**
   * `open`: it may have been sent, or may still be; the next reconcile sends it again. `closed`: EC2 responded that it launched
   * no instance. `lost`: EC2 refused to say what the token launched, or the request is lost; an instance is searched by tag.
   */
  readonly state: 'open' | 'closed' | 'lost';
  /** When it became lost, in ms since the epoch. */
  readonly lostAtMs?: number | undefined;
  /** How many attempts in a row were refused for a reason other than capacity, this one included. */
  readonly refusals?: number | undefined;
  /** The next attempt may be made from then on, in ms since the epoch: writing this attempt causes a reconcile at once. */
  readonly nextFromMs?: number | undefined;
}

const requestShape = z.object({ LaunchTemplateConfigs: z.array(z.object({})), TargetCapacitySpecification: z.object({}) });

/** Passed on unchanged: a parser would reorder its keys. */
const requestSchema = z.custom<FleetRequest>((value) => requestShape.safeParse(value).success);

const attemptSchema: z.ZodType<Attempt> = z.object({
  number: z.number().int().positive(),
  request: requestSchema,
  shared: z
    .object({
      token: z.string(),
      size: z.number().int().positive(),
      index: z.number().int().nonnegative(),
      leader: z.object({ name: z.string(), uid: z.string(), version: z.string() }),
      absent: z.array(z.number().int()).optional(),
    })
    .optional(),
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

/** Whether the claim records an instance, or an attempt that may have launched one. */
export function mayHaveInstance(claim: NodeClaim): boolean {
  if (claim.status?.providerID !== undefined) return true;
  try {
    const attempt = readAttempt(claim);
    return attempt !== undefined && attempt.state !== 'closed';
  } catch {
    return true;
  }
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
  return attempt.shared?.token ?? tokenOf([{ claim, number: attempt.number }]);
}

/** The client token of one attempt of each of these claims, together. */
export function tokenOf(attempts: readonly { readonly claim: NodeClaim; readonly number: number }[]): string {
  return createHash('sha256')
    .update(attempts.map(({ claim, number }) => `${uidOf(claim)}/${number}`).join(' '))
    .digest('hex');
}

/** The attempt of a claim that shares a launch; undefined if it launches alone, or its attempt can't be read. */
export function readShared(claim: NodeClaim): (Attempt & { readonly shared: SharedLaunch }) | undefined {
  try {
    const attempt = readAttempt(claim);
    return attempt?.shared === undefined ? undefined : { ...attempt, shared: attempt.shared };
  } catch {
    return undefined;
  }
}

/**
 * The place of a claim among those that took part, which is that of its instance among the sorted ids.
 * @param leading the leader's part of the same launch
 * @returns undefined if the claim was left out
 */
export function seatIn(leading: SharedLaunch, { index }: SharedLaunch): number | undefined {
  const { absent = [] } = leading;
  return absent.includes(index) ? undefined : index - absent.filter((one) => one < index).length;
}
