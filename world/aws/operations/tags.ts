import type { CreateTagsRequest, DeleteTagsRequest } from '@aws-sdk/client-ec2';
import { Ec2Refusal, missingParameter } from '../../../protocols/ec2/refusal.ts';
import { findInstances } from '../instance-view.ts';
import { outcome } from '../operation.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { Account, Outcome } from '../operation.ts';
import { checkTagCount, readTags } from '../tags.ts';
import type { Tags } from '../tags.ts';

/** Sets tags on instances and launch templates; other resources don't support tags here. One bad id fails the whole request. */
export function createTags(account: Account, { Resources, Tags: tags }: CreateTagsRequest, caller: Caller): Outcome {
  if (tags === undefined || tags.length === 0) throw missingParameter('Tag');
  const added = readTags(tags);
  return retag(account, Resources, caller, (before) => ({ ...before, ...added }));
}

/** Removes tags: all user tags if none is named; a tag named with a value only if it has that value. */
export function deleteTags(account: Account, { Resources, Tags: named }: DeleteTagsRequest, caller: Caller): Outcome {
  const isNamed = (key: string, value: string): boolean => {
    if (named === undefined || named.length === 0) return !key.startsWith('aws:');
    return named.some((tag) => tag.Key === key && (tag.Value === undefined || tag.Value === value));
  };
  return retag(account, Resources, caller, (before) =>
    Object.fromEntries(Object.entries(before).filter(([key, value]) => !isNamed(key, value))),
  );
}

function retag(account: Account, ids: readonly string[] = [], { span }: Caller, change: (tags: Tags) => Tags): Outcome {
  if (ids.length === 0) throw missingParameter('ResourceId');
  const asked = [...new Set(ids)];
  // Everything is checked before anything is changed.
  for (const id of asked) checkTagCount(change(tagsOf(account, id, span)));
  for (const id of asked) {
    account.instances.retag(id, change, span);
    account.templates.retag(id, change);
  }
  return outcome({}, asked);
}

function tagsOf(account: Account, id: string, span: number): Tags {
  if (id.startsWith('i-')) return findInstances(account, [id], span)[0]?.tags ?? {};
  if (id.startsWith('lt-')) return account.templates.find({ LaunchTemplateId: id }, span).tags;
  throw new Ec2Refusal('InvalidID', `The ID '${id}' is not valid`);
}
