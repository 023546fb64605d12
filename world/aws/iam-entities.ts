import { QueryRefusal } from '../../protocols/aws-query/codec.ts';
import type { QueryValue } from '../../protocols/aws-query/codec.ts';
import { ACCOUNT_ID } from './operation.ts';
import type { Random } from '../../runtime/random.ts';

/** A role. It exists from the start: this world does not create roles. */
export interface Role {
  readonly name: string;
  readonly id: string;
  readonly arn: string;
  readonly createdAtMs: number;
}

/** An instance profile: the container that gives instances a role. */
export interface InstanceProfile {
  readonly name: string;
  readonly id: string;
  readonly path: string;
  readonly createdAtMs: number;
  /** At most one. */
  readonly role: Role | undefined;
  readonly tags: ReadonlyMap<string, string>;
}

/** Letters and digits of an id after its prefix: `AIPA` for profiles, `AROA` for roles, `AIDA` for users. */
const ID_LENGTH = 17;

/** Source: "IAM identifiers", unique ids. */
export function drawIamId(random: Random, prefix: string): string {
  return prefix + random.hex(ID_LENGTH).toUpperCase();
}

/** A role of this account, without a path. */
export function makeRole(name: string, createdAtMs: number, random: Random): Role {
  return { name, id: drawIamId(random, 'AROA'), arn: `arn:aws:iam::${ACCOUNT_ID}:role/${name}`, createdAtMs };
}

/** The trust policy of a role for nodes: instances may assume it. */
const TRUST = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};

/** Answers contain the policy document URL-encoded. */
export function writeRole({ name, id, arn, createdAtMs }: Role): { readonly [name: string]: QueryValue } {
  return {
    Path: '/',
    RoleName: name,
    RoleId: id,
    Arn: arn,
    CreateDate: writeTime(createdAtMs),
    AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(TRUST)),
  };
}

/** An instance profile as answers show it. Lists omit the tags. */
export function writeProfile(profile: InstanceProfile, withTags: boolean): { readonly [name: string]: QueryValue | undefined } {
  const { name, id, path, createdAtMs, role, tags } = profile;
  return {
    Path: path,
    InstanceProfileName: name,
    InstanceProfileId: id,
    Arn: `arn:aws:iam::${ACCOUNT_ID}:instance-profile${path}${name}`,
    CreateDate: writeTime(createdAtMs),
    Roles: role === undefined ? [] : [writeRole(role)],
    ...(withTags ? { Tags: [...tags].map(([Key, Value]) => ({ Key, Value })) } : {}),
  };
}

/** Without milliseconds, as IAM and STS write times. */
export function writeTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function noSuchRole(name: string): QueryRefusal {
  return new QueryRefusal('NoSuchEntity', `The role with name ${name} cannot be found.`, 404);
}

export function noSuchProfile(name: string): QueryRefusal {
  return new QueryRefusal('NoSuchEntity', `Instance Profile ${name} cannot be found.`, 404);
}
