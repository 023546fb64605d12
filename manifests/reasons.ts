import { LABEL } from '../model/kube.ts';
import type { NodeAlternative } from '../model/requirements.ts';
import { formatResources, shortages } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import type { Offers, Seat } from './offers.ts';
import { allowsLabel } from './node-labels.ts';
import type { ValueSet } from './node-labels.ts';

/** Why no node of a pool has the labels that a pod requests. */
export function labelProblem(alternatives: readonly NodeAlternative[], { stated, seats }: Offers): string {
  const reasons = alternatives.map(({ labels: asked, fields }) => {
    if (fields.size > 0) return 'it requests a node by name';
    const failing = [...asked].filter(([key, set]) => !seats.some(({ labels }) => allowsLabel(key, set, labels, stated)));
    if (failing.length === 0) return `none of its nodes has all requested labels at once: ${[...asked.keys()].join(', ')}`;
    return failing.map(([key, set]) => `it has no nodes with ${describeAsked(key, set, seats)}`).join(' and ');
  });
  return reasons.length === 0 ? 'the node affinity has no terms, so it matches no node' : [...new Set(reasons)].join(', or ');
}

/** Most values that a message lists. */
const MAX_NAMED = 6;
const WORDS: Readonly<Record<string, string>> = {
  [LABEL.zone]: 'zone',
  [LABEL.arch]: 'architecture',
  [LABEL.capacityType]: 'capacity type',
  [LABEL.instanceType]: 'instance type',
  [LABEL.region]: 'region',
};

function describeAsked(key: string, set: ValueSet, seats: readonly Seat[]): string {
  const word = WORDS[key];
  const offered = [...new Set(seats.flatMap(({ labels }) => labels[key] ?? []))].sort();
  const has =
    offered.length === 0
      ? word === undefined
        ? ', a label that it does not set'
        : ''
      : offered.length > MAX_NAMED
        ? ''
        : ` (it has ${offered.join(', ')})`;
  const values = set.excluding || set.values.length === 0 ? 'as requested' : set.values.join(' or ');
  return `${word ?? `label ${key}`} ${values}${has}`;
}

/** What is missing on the node that comes closest. */
export function sizeProblem(requests: Resources, seats: Offers['seats']): string {
  const largest = seats.reduce((best, seat) => (shortagesOf(requests, seat) < shortagesOf(requests, best) ? seat : best));
  const short = shortages(requests, largest.room);
  const pick = (resources: Resources): string =>
    Object.entries(formatResources(Object.fromEntries(short.map((name) => [name, Math.max(0, resources[name] ?? 0)]))))
      .map(([name, amount]) => `${amount} ${name}`)
      .join(' and ');
  const daemons = short.some((name) => (largest.daemons[name] ?? 0) > 0) ? `, ${pick(largest.daemons)} taken by DaemonSets` : '';
  return `it is too large: it requests ${pick(requests)}, and a ${largest.type.type} has ${pick(largest.room)} for it${daemons}`;
}

/** How much a node lacks: 0 if it has enough. */
function shortagesOf(requests: Resources, { room }: { readonly room: Resources }): number {
  return shortages(requests, room).reduce((sum, name) => sum + 1 - Math.max(0, room[name] ?? 0) / (requests[name] ?? 1), 0);
}
