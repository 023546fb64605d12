import { createHash } from 'node:crypto';
import type { HistoryEvent } from './events.ts';
import { foldRequests } from './lives.ts';

/**
 * SHA-256 of the order in which the target's requests changed the world, and of the requests that failed: operations, objects,
 * effects and codes on both wires, without times, and with names and ids replaced by the order of their first appearance.
 * Equal digests mean equal interleavings. Successful reads are not included.
 */
export function digestInterleaving(events: readonly HistoryEvent[]): string {
  const hash = createHash('sha256');
  const requests = foldRequests(events);
  const nameOf = namer();
  for (const event of events) {
    if (event.type !== 'request.effect' && event.type !== 'request.end') continue;
    const start = requests.get(event.span)?.start;
    if (start === undefined) continue;
    const what = `${start.wire} ${start.operation} ${start.object === undefined ? '' : nameOf(start.object)}`;
    if (event.type === 'request.effect') {
      if (start.mutating) hash.update(`${what} ${describeEffect(event.effect, nameOf)}\n`);
    } else if (event.outcome !== 'ok') {
      hash.update(`${what} ${event.outcome} ${event.code ?? ''}\n`);
    }
  }
  return hash.digest('hex');
}

type Effect = Extract<HistoryEvent, { type: 'request.effect' }>['effect'];

function describeEffect(effect: Effect, nameOf: (object: string) => string): string {
  if (effect.kind === 'applied') return `applied ${effect.ids.map(nameOf).join(' ')}`;
  return effect.kind === 'rejected' ? `rejected ${effect.code}` : effect.kind;
}

/** Gives `pods/default/web-x7k2p` the name `pods#3` if it is the third pod to appear. Ids have no kind: `#3`. */
function namer(): (object: string) => string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return (object) => {
    const known = names.get(object);
    if (known !== undefined) return known;
    // `pods/default/web-1`, or a collection; everything else is an id.
    const kind = /^[a-z]+(?=\/|$)/.exec(object)?.[0] ?? '';
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const name = `${kind}#${count}`;
    names.set(object, name);
    return name;
  };
}
