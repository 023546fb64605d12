import type { Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { Ec2Refusal, invalidValue, missingParameter } from '../../protocols/ec2/refusal.ts';

export type Tags = Readonly<Record<string, string>>;

/** Source: "Tag your Amazon EC2 resources", tag restrictions. Keys reserved by AWS don't count. */
const TAGS_MAX = 50;
const KEY_LENGTH_MAX = 128;
const VALUE_LENGTH_MAX = 256;
const RESERVED_PREFIX = 'aws:';

/** Reads tags that a user sets. @throws Ec2Refusal for keys and values that EC2 does not accept */
export function readTags(tags: readonly Tag[] | undefined): Tags {
  const read = new Map<string, string>();
  for (const { Key: key, Value: value = '' } of tags ?? []) {
    if (key === undefined || key === '') throw missingParameter('Tag.Key');
    if (key.toLowerCase().startsWith(RESERVED_PREFIX)) {
      throw invalidValue(`Tag keys starting with '${RESERVED_PREFIX}' are reserved for internal use`);
    }
    if (key.length > KEY_LENGTH_MAX) throw invalidValue(`Tag key exceeds the maximum length of ${KEY_LENGTH_MAX} characters`);
    if (value.length > VALUE_LENGTH_MAX) throw invalidValue(`Tag value exceeds the maximum length of ${VALUE_LENGTH_MAX} characters`);
    if (read.has(key)) throw invalidValue(`Duplicate tag key '${key}' specified.`);
    read.set(key, value);
  }
  const result = Object.fromEntries(read);
  checkTagCount(result);
  return result;
}

/** @throws Ec2Refusal when a resource would have too many tags */
export function checkTagCount(tags: Tags): void {
  const count = Object.keys(tags).filter((key) => !key.startsWith(RESERVED_PREFIX)).length;
  if (count > TAGS_MAX) throw new Ec2Refusal('TagLimitExceeded', `The maximum number of Tags for a resource has been reached.`);
}

/** The tags that a request sets on one kind of resource at launch. */
export function launchTags(specifications: readonly TagSpecification[] | undefined, resourceType: string): Tags {
  return readTags((specifications ?? []).filter((one) => one.ResourceType === resourceType).flatMap((one) => one.Tags ?? []));
}

/** What a launch creates besides its instance, and may tag. */
const PARTS = ['network-interface', 'spot-instances-request', 'volume'] as const;
/** The tags of an instance's parts; empty if there are none. */
export type PartTags = Readonly<Partial<Record<(typeof PARTS)[number], Tags>>>;

/** The tags that a launch sets on an instance's parts: those of the template, then those of the request. */
export function launchPartTags(...specifications: readonly (readonly TagSpecification[] | undefined)[]): PartTags {
  const all = specifications.flatMap((some) => some ?? []);
  const tagged = PARTS.filter((part) => all.some(({ ResourceType }) => ResourceType === part));
  return Object.fromEntries(
    tagged.map((part) => [part, Object.assign({}, ...specifications.map((some) => launchTags(some, part))) as Tags]),
  );
}

/** Tags as in answers, in the order of their keys. */
export function writeTags(tags: Tags): Tag[] {
  return Object.keys(tags)
    .sort()
    .map((key) => ({ Key: key, Value: tags[key] }));
}
