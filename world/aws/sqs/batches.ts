import { JsonRefusal } from '../../../protocols/aws-json/refusal.ts';
import { sqsRefusal } from './errors.ts';
import { changing } from './operation.ts';
import type { SqsOutcome } from './operation.ts';

const ENTRIES_MAX = 10;
const ID = /^[A-Za-z0-9_-]{1,80}$/;

/** What one entry answers besides its id, and the ids that it changed. */
interface EntryOutcome {
  readonly output: object;
  readonly changed: readonly string[];
}

/**
 * Runs a batch: each entry succeeds or fails by itself.
 * @param entry the name of an entry's shape, for messages
 * @throws JsonRefusal for no or too many entries, or for ids that are invalid or occur twice
 */
export function runBatch<E extends { readonly Id: string }>(
  entry: string,
  entries: readonly E[],
  run: (one: E) => EntryOutcome,
): SqsOutcome {
  checkEntries(entry, entries);
  const changed: string[] = [];
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const one of entries) {
    try {
      const done = run(one);
      changed.push(...done.changed);
      Successful.push({ Id: one.Id, ...done.output });
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      Failed.push({ Id: one.Id, SenderFault: true, Code: error.queryCode, Message: error.message });
    }
  }
  return changing({ Successful, Failed }, changed);
}

function checkEntries(entry: string, entries: readonly { readonly Id: string }[]): void {
  if (entries.length === 0) throw sqsRefusal('EmptyBatchRequest', `There should be at least one ${entry} in the request.`);
  if (entries.length > ENTRIES_MAX) {
    const message = `Maximum number of entries per request are ${ENTRIES_MAX}. You have sent ${entries.length}.`;
    throw sqsRefusal('TooManyEntriesInBatchRequest', message);
  }
  if (entries.some(({ Id }) => !ID.test(Id))) {
    const message =
      'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.';
    throw sqsRefusal('InvalidBatchEntryId', message);
  }
  const twice = entries.find(({ Id }, index) => entries.findIndex((other) => other.Id === Id) !== index);
  if (twice !== undefined) throw sqsRefusal('BatchEntryIdsNotDistinct', `Id ${twice.Id} repeated.`);
}
