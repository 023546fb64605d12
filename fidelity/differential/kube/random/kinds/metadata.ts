import type { Random } from '../../../../../runtime/random.ts';

export const value = (random: Random): string | null => random.pick(['1', '2', '3', '', null]);

/** A change of labels or annotations, which every object has. */
export function metadataChange(random: Random): object {
  return random.pick([
    { metadata: { labels: { tier: value(random) } } },
    { metadata: { labels: { tier: 'a', zone: 'b' } } },
    { metadata: { annotations: { note: value(random) } } },
    { metadata: { annotations: { 'example.com/note': 'text', note: value(random) } } },
    { metadata: { labels: null } },
    { metadata: { labels: { tier: random.pick(['-bad', 'x y', 'fine']) } } },
    { metadata: { annotations: { 'bad key': 'x' } } },
    { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'gone', uid: '' }] } },
    { metadata: { generation: 7 } },
    { metadata: { creationTimestamp: null } },
    { metadata: { uid: 'another' } },
    { metadata: { name: 'another' } },
    {},
  ]);
}
