import type { Effect } from '../../model/operation.ts';
import { QueryRefusal } from '../../protocols/aws-query/codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { drawIamId, noSuchProfile, noSuchRole, writeProfile, writeRole } from './iam-entities.ts';
import type { InstanceProfile, Role } from './iam-entities.ts';
import { QueryService, readText } from './query-service.ts';
import type { MemberRule, QueryAction, QueryOutcome } from './query-service.ts';

export const IAM_VERSION = '2010-05-08';

/** Rules and limits from IAM's API reference, "IAM and AWS STS quotas". */
const NAME: MemberRule = { pattern: /^[\w+=,.@-]+$/, source: '[\\w+=,.@-]+', maxLength: 128 };
const ROLE_NAME: MemberRule = { ...NAME, maxLength: 64 };
const PATH: MemberRule = { pattern: /^(\/|\/[!-~]+\/)$/, source: '(\\u002F)|(\\u002F[\\u0021-\\u007E]+\\u002F)', maxLength: 512 };
const PATH_PREFIX: MemberRule = { pattern: /^\/[!-\x7f]*$/, source: '\\u002F[\\u0021-\\u007F]*', maxLength: 512 };
const TAG_KEY: MemberRule = { pattern: /^[\p{L}\p{Z}\p{N}_.:/=+\-@]+$/u, source: '[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]+', maxLength: 128 };
const TAGS_MAX = 50;
const PROFILES_MAX = 1_000;
const PAGE_DEFAULT = 100;
const PAGE_MAX = 1_000;

type Input = Readonly<Record<string, unknown>>;

/**
 * IAM as far as node autoscalers use it: instance profiles, and reading roles. EC2 does not check a profile: it launches with
 * any. Changes are visible at once, where the real IAM takes seconds.
 */
export class InstanceProfiles {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #roles: ReadonlyMap<string, Role>;
  readonly #profiles = new Map<string, InstanceProfile>();
  readonly actions: Readonly<Record<string, QueryAction>> = {
    AddRoleToInstanceProfile: (input) => this.#addRole(input),
    CreateInstanceProfile: (input) => this.#create(input),
    DeleteInstanceProfile: (input) => this.#delete(input),
    GetInstanceProfile: (input) => read({ InstanceProfile: writeProfile(this.#profile(input), true) }),
    GetRole: (input) => read({ Role: { ...writeRole(this.#role(input)), MaxSessionDuration: 3_600 } }),
    ListInstanceProfiles: (input) => this.#list(input),
    RemoveRoleFromInstanceProfile: (input) => this.#removeRole(input),
    TagInstanceProfile: (input) => this.#tag(input),
  };

  constructor({ clock, random, roles }: { readonly clock: Clock; readonly random: Random; readonly roles: readonly Role[] }) {
    this.#clock = clock;
    this.#random = random;
    this.#roles = new Map(roles.map((role) => [role.name, role]));
  }

  #profile(input: Input): InstanceProfile {
    const name = readText(input, 'InstanceProfileName', NAME);
    const profile = this.#profiles.get(name);
    if (profile === undefined) throw noSuchProfile(name);
    return profile;
  }

  #role(input: Input): Role {
    const name = readText(input, 'RoleName', ROLE_NAME);
    const role = this.#roles.get(name);
    if (role === undefined) throw noSuchRole(name);
    return role;
  }

  #create(input: Input): QueryOutcome {
    const name = readText(input, 'InstanceProfileName', NAME);
    const path = input['Path'] === undefined ? '/' : readText(input, 'Path', PATH);
    const tags = readTags(new Map(), input['Tags']);
    if (this.#profiles.has(name)) throw new QueryRefusal('EntityAlreadyExists', `Instance Profile ${name} already exists.`, 409);
    if (this.#profiles.size >= PROFILES_MAX) throw quota('InstanceProfilesPerAccount', PROFILES_MAX);
    const id = drawIamId(this.#random, 'AIPA');
    const profile = { name, path, id, createdAtMs: this.#clock.nowMs(), role: undefined, tags };
    this.#profiles.set(name, profile);
    return { output: { InstanceProfile: writeProfile(profile, true) }, effect: changed(name) };
  }

  #delete(input: Input): QueryOutcome {
    const { name, role } = this.#profile(input);
    if (role !== undefined) {
      throw new QueryRefusal('DeleteConflict', 'Cannot delete entity, must remove roles from instance profile first.', 409);
    }
    this.#profiles.delete(name);
    return { effect: changed(name) };
  }

  #addRole(input: Input): QueryOutcome {
    const profile = this.#profile(input);
    const role = this.#role(input);
    if (profile.role !== undefined) throw quota('InstanceSessionsPerInstanceProfile', 1);
    return this.#change({ ...profile, role });
  }

  #removeRole(input: Input): QueryOutcome {
    const profile = this.#profile(input);
    const name = readText(input, 'RoleName', ROLE_NAME);
    if (profile.role?.name !== name) throw noSuchRole(name);
    return this.#change({ ...profile, role: undefined });
  }

  #tag(input: Input): QueryOutcome {
    const profile = this.#profile(input);
    return this.#change({ ...profile, tags: readTags(profile.tags, input['Tags']) });
  }

  #change(profile: InstanceProfile): QueryOutcome {
    this.#profiles.set(profile.name, profile);
    return { effect: changed(profile.name) };
  }

  /** In the order of names. Markers are names in this emulation; the real ones are opaque. */
  #list(input: Input): QueryOutcome {
    const prefix = input['PathPrefix'] === undefined ? '/' : readText(input, 'PathPrefix', PATH_PREFIX);
    const size = readPageSize(input['MaxItems']);
    const { Marker: marker = '' } = input;
    const found = [...this.#profiles.values()]
      .filter(({ name, path }) => path.startsWith(prefix) && name > String(marker))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const page = found.slice(0, size);
    const isTruncated = page.length < found.length;
    return read({
      IsTruncated: isTruncated,
      Marker: isTruncated ? page.at(-1)?.name : undefined,
      InstanceProfiles: page.map((profile) => writeProfile(profile, false)),
    });
  }
}

function read(output: QueryOutcome['output'] & object): QueryOutcome {
  return { output, effect: { kind: 'none' } };
}

function changed(name: string): Effect {
  return { kind: 'applied', ids: [`instance-profile/${name}`] };
}

/** Source of the wording: what IAM answers, as its users quote it. */
function quota(name: string, limit: number): QueryRefusal {
  return new QueryRefusal('LimitExceeded', `Cannot exceed quota for ${name}: ${limit}`, 409);
}

/** Adds a request's tags to existing ones; an existing key gets the new value. */
function readTags(before: ReadonlyMap<string, string>, given: unknown): ReadonlyMap<string, string> {
  const tags = new Map(before);
  for (const tag of Array.isArray(given) ? (given as Input[]) : []) {
    const { Value: value = '' } = tag;
    tags.set(readText(tag, 'Key', TAG_KEY), String(value));
  }
  if (tags.size > TAGS_MAX) throw quota('TagsPerInstanceProfile', TAGS_MAX);
  return tags;
}

function readPageSize(given: unknown): number {
  const size = given === undefined ? PAGE_DEFAULT : Number(given);
  if (Number.isInteger(size) && size >= 1 && size <= PAGE_MAX) return size;
  const bound = size > PAGE_MAX ? `less than or equal to ${PAGE_MAX}` : 'greater than or equal to 1';
  throw new QueryRefusal(
    'ValidationError',
    `1 validation error detected: Value '${String(given)}' at 'maxItems' failed to satisfy constraint: Member must have value ${bound}`,
  );
}

/** Serves IAM. */
export function createIam(parts: { readonly clock: Clock; readonly random: Random; readonly roles: readonly Role[] }): QueryService {
  return new QueryService({
    service: 'iam',
    version: IAM_VERSION,
    namespace: `https://iam.amazonaws.com/doc/${IAM_VERSION}/`,
    actions: new InstanceProfiles(parts).actions,
    reading: /^(Get|List)/,
    clock: parts.clock,
    random: parts.random,
  });
}
