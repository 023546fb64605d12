import { isWatch } from '../../model/operation.ts';
import type { Operation } from '../../model/operation.ts';
import { onlyJson } from '../../protocols/kube/accept.ts';
import type { ReadableRequest } from '../../wire/backend.ts';
import type { WireRequest } from '../../wire/wire.ts';

/**
 * Changes a read from protobuf to JSON if the answer has to be read on its way: for watches, whose events are counted, and for
 * answers that a fault rewrites.
 */
export function readable({ headers }: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined {
  if (operation.mutating) return undefined;
  const accept = onlyJson(headers['accept']);
  if (accept === undefined || accept === headers['accept']) return undefined;
  const isFollowed = isWatch(operation);
  if (!isFollowed && !isRewritten()) return undefined;
  const why = isFollowed ? 'the events of a watch are counted' : 'a fault rewrites it';
  return { headers: { ...headers, accept }, remark: `requested as JSON instead of protobuf: ${why}` };
}
