import { QueryRefusal } from '../../protocols/aws-query/codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { drawIamId, writeTime } from './iam-entities.ts';
import type { Role } from './iam-entities.ts';
import { ACCOUNT_ID } from './operation.ts';
import { QueryService, readText } from './query-service.ts';
import type { MemberRule, QueryOutcome } from './query-service.ts';

export const STS_VERSION = '2011-06-15';

/** Rules and limits from STS's API reference, AssumeRole. */
const ARN: MemberRule = {
  pattern: /^[\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd]+$/,
  source: '[\\u0009\\u000A\\u000D\\u0020-\\u007E]+',
  maxLength: 2_048,
};
const SESSION_NAME: MemberRule = { pattern: /^[\w+=,.@-]+$/, source: '[\\w+=,.@-]+', maxLength: 64 };
const SESSION_SECONDS = 3_600;
const SESSION_SECONDS_MIN = 900;
const SESSION_SECONDS_MAX = 43_200;
/** All callers use the same keys in this world: the listener identifies the caller. */
const CALLER = 'scaleproof';
/** Length of the secrets issued, which are never used to sign. */
const SECRET_LENGTH = 40;
const TOKEN_LENGTH = 200;

/**
 * Serves STS: the caller's identity, and roles to assume. Permissions are not checked, except that a role not among `roles` is
 * refused as STS refuses it, without saying whether it exists.
 */
export function createSts({
  clock,
  random,
  roles,
}: {
  readonly clock: Clock;
  readonly random: Random;
  readonly roles: readonly Role[];
}): QueryService {
  const callerArn = `arn:aws:iam::${ACCOUNT_ID}:user/${CALLER}`;
  const callerId = drawIamId(random, 'AIDA');

  const assumeRole = (input: Readonly<Record<string, unknown>>): QueryOutcome => {
    const arn = readText(input, 'RoleArn', ARN);
    const session = readText(input, 'RoleSessionName', SESSION_NAME);
    const seconds = readDuration(input['DurationSeconds']);
    const role = roles.find((one) => one.arn === arn);
    if (role === undefined) {
      throw new QueryRefusal('AccessDenied', `User: ${callerArn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`, 403);
    }
    const output = {
      AssumedRoleUser: {
        AssumedRoleId: `${role.id}:${session}`,
        Arn: `arn:aws:sts::${ACCOUNT_ID}:assumed-role/${role.name}/${session}`,
      },
      Credentials: {
        AccessKeyId: drawIamId(random, 'ASIA').slice(0, 20),
        SecretAccessKey: random.hex(SECRET_LENGTH),
        SessionToken: random.hex(TOKEN_LENGTH),
        Expiration: writeTime(clock.nowMs() + seconds * 1_000),
      },
    };
    return { output, effect: { kind: 'none' } };
  };

  return new QueryService({
    service: 'sts',
    version: STS_VERSION,
    namespace: `https://sts.amazonaws.com/doc/${STS_VERSION}/`,
    actions: {
      AssumeRole: assumeRole,
      GetCallerIdentity: () => ({ output: { Arn: callerArn, UserId: callerId, Account: ACCOUNT_ID }, effect: { kind: 'none' } }),
    },
    // Issuing credentials changes nothing in the world.
    reading: /^(AssumeRole|Get)/,
    clock,
    random,
  });
}

function readDuration(given: unknown): number {
  const seconds = given === undefined ? SESSION_SECONDS : Number(given);
  if (seconds >= SESSION_SECONDS_MIN && seconds <= SESSION_SECONDS_MAX) return seconds;
  const bound =
    seconds < SESSION_SECONDS_MIN ? `greater than or equal to ${SESSION_SECONDS_MIN}` : `less than or equal to ${SESSION_SECONDS_MAX}`;
  throw new QueryRefusal(
    'ValidationError',
    `1 validation error detected: Value '${String(given)}' at 'durationSeconds' failed to satisfy constraint: Member must have value ${bound}`,
  );
}
