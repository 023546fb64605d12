import type { CreateOrUpdateTagsType, DeleteTagsType, DescribeTagsType, Tag, TagDescription } from '@aws-sdk/client-auto-scaling';
import { QueryRefusal } from '../../../protocols/aws-query/codec.ts';
import type { Caller } from '../../../wire/backend.ts';
import { outcome } from '../operation.ts';
import type { Outcome } from '../operation.ts';
import type { Group, GroupTag } from './group.ts';
import { page } from './paging.ts';
import { missing, taggedGroupNotFound, validationError } from './refusals.ts';
import { groupId } from './service.ts';
import type { AutoScalingSite } from './service.ts';
import { writeGroupTags } from './views.ts';

/** Source: "Quotas for Auto Scaling resources and groups". */
const TAGS_MAX = 50;

/** Adds a request's tags to those of a group. @throws QueryRefusal for keys that Auto Scaling does not accept, or too many */
export function readGroupTags(before: ReadonlyMap<string, GroupTag>, given: readonly Tag[] | undefined): ReadonlyMap<string, GroupTag> {
  const tags = new Map(before);
  for (const { Key: key, Value: value = '', PropagateAtLaunch: propagate = false } of given ?? []) {
    if (key === undefined || key === '') throw missing('key');
    if (key.toLowerCase().startsWith('aws:')) throw validationError('Tag keys starting with aws: are reserved for system use.');
    tags.set(key, { value, propagate });
  }
  if (tags.size > TAGS_MAX) throw new QueryRefusal('LimitExceeded', `The number of tags exceeds the limit of ${TAGS_MAX} per resource.`);
  return tags;
}

/** Sets tags of groups. Instances keep theirs. */
export function createOrUpdateTags(site: AutoScalingSite, input: CreateOrUpdateTagsType, { span }: Caller): Outcome {
  const changes = byGroup(site, input.Tags).map(([group, tags]) => ({ ...group, tags: readGroupTags(group.tags, tags) }));
  for (const group of changes) site.groups.keep(group, span);
  return outcome(
    {},
    changes.map(({ name }) => groupId(name)),
  );
}

/** Deletes tags of groups, whatever their values. */
export function deleteTags(site: AutoScalingSite, input: DeleteTagsType, { span }: Caller): Outcome {
  const changes = byGroup(site, input.Tags).map(([group, deleted]) => {
    const keys = new Set(deleted.map(({ Key }) => Key));
    return { ...group, tags: new Map([...group.tags].filter(([key]) => !keys.has(key))) };
  });
  for (const group of changes) site.groups.keep(group, span);
  return outcome(
    {},
    changes.map(({ name }) => groupId(name)),
  );
}

function byGroup({ groups }: AutoScalingSite, tags: readonly Tag[] | undefined): readonly (readonly [Group, readonly Tag[]])[] {
  if (tags === undefined) throw missing('tags');
  const names = new Set(
    tags.map(({ ResourceId: name }) => {
      if (name === undefined) throw missing('resourceId');
      return name;
    }),
  );
  return [...names].map((name) => {
    const group = groups.find(name);
    if (group === undefined) throw taggedGroupNotFound(name);
    return [group, tags.filter((tag) => tag.ResourceId === name)];
  });
}

/** Lists tags of groups. */
export function describeTags({ groups }: AutoScalingSite, input: DescribeTagsType, caller: Caller): Outcome {
  const filters = (input.Filters ?? []).map(({ Name: name, Values: values = [] }) => {
    const wanted = new Set(values);
    switch (name) {
      case 'auto-scaling-group':
        return (tag: TagDescription) => wanted.has(tag.ResourceId ?? '');
      case 'key':
        return (tag: TagDescription) => wanted.has(tag.Key ?? '');
      case 'value':
        return (tag: TagDescription) => wanted.has(tag.Value ?? '');
      case 'propagate-at-launch':
        return (tag: TagDescription) => wanted.has(String(tag.PropagateAtLaunch));
      default:
        throw validationError(
          `Filter type ${name ?? ''} is not correct. Allowed Filter types are: auto-scaling-group key value propagate-at-launch`,
        );
    }
  });
  const keyOf = ({ ResourceId, Key }: TagDescription): string => `${ResourceId}\u0000${Key}`;
  const found = groups
    .read(caller, ({ group }) => writeGroupTags(group).filter((tag) => filters.every((matches) => matches(tag))))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const { items, more } = page(found, keyOf, input);
  return outcome({ Tags: items, ...more }, []);
}
