import type { CreateTagsRequest, DeleteTagsRequest } from '@aws-sdk/client-ec2';
import { Ec2Refusal, missingParameter } from '../../../protocols/ec2/refusal.ts';
import { findInstances } from '../instance-view.ts';
import { outcome } from '../operation.ts';
import type { Account, Outcome } from '../operation.ts';
import { checkTagCount, readTags } from '../tags.ts';
import type { Tags } from '../tags.ts';

/** Sets tags on instances and launch templates; other resources have none here. One bad id fails the whole request. */
export function createTags(account: Account, { Resources, Tags: tags }: CreateTagsRequest): Outcome {
  if (tags === undefined || tags.length === 0) throw missingParameter('Tag');
  const added = readTags(tags);
  return retag(account, Resources, (before) => ({ ...before, ...added }));
}

/** Takes tags away: all of a user's own where none is named; one that is named with a value only where it has that value. */
export function deleteTags(account: Account, { Resources, Tags: named }: DeleteTagsRequest): Outcome {
  const isNamed = (key: string, value: string): boolean => {
    if (named === undefined || named.length === 0) return !key.startsWith('aws:');
    return named.some((tag) => tag.Key === key && (tag.Value === undefined || tag.Value === value));
  };
  return retag(account, Resources, (before) => Object.fromEntries(Object.entries(before).filter(([key, value]) => !isNamed(key, value))));
}

function retag({ instances, templates, ...rest }: Account, ids: readonly string[] = [], change: (tags: Tags) => Tags): Outcome {
  if (ids.length === 0) throw missingParameter('ResourceId');
  const account = { instances, templates, ...rest };
  const asked = [...new Set(ids)];
  // Everything is looked at before anything is changed.
  for (const id of asked) checkTagCount(change(tagsOf(account, id)));
  for (const id of asked) {
    instances.retag(id, change);
    templates.retag(id, change);
  }
  return outcome({}, asked);
}

function tagsOf(account: Account, id: string): Tags {
  if (id.startsWith('i-')) return findInstances(account, [id])[0]?.tags ?? {};
  if (id.startsWith('lt-')) return account.templates.find({ LaunchTemplateId: id }).tags;
  throw new Ec2Refusal('InvalidID', `The ID '${id}' is not valid`);
}
