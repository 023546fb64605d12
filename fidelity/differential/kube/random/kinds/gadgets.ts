import type { Kind } from './kind.ts';
import { metadataChange } from './metadata.ts';

export const gadgets: Kind = {
  plural: 'gadgets',
  apiVersion: 'differential.example.com/v1',
  kind: 'Gadget',
  namespaced: true,
  controlled: false,
  custom: true,
  scaled: true,
  weight: 6,
  create: (random) => ({
    spec: random.pick<object>([
      {},
      { size: random.pick([1, 5, 10]) },
      { color: random.pick(['blue', 'green']) },
      { parts: [{ id: 'a' }, { id: random.pick(['b', 'a']), weight: 2 }] },
      { free: { any: { thing: [1, 'x', null] } }, junk: true },
    ]),
    ...random.pick([{}, { status: { phase: 'new' } }]),
  }),
  change: (random) =>
    random.pick<() => object>([
      () => metadataChange(random),
      () => ({ spec: { size: random.pick([2, 3, 9, 0, 'x', null]) } }),
      () => ({ spec: { color: random.pick(['red', 'blue', null, 'green']) } }),
      () => ({ spec: { parts: random.pick([[{ id: 'b', weight: 3 }], [{ id: 'c' }, { id: 'a' }], [{ weight: 1 }], []]) } }),
      () => ({ spec: { free: { more: random.pick([1, null, { deep: true }]) } } }),
      () => ({ status: { phase: 'ignored' } }),
      () => ({ spec: { junk: 1 } }),
    ])(),
  status: (random) => ({
    status: random.pick<object>([{ phase: 'Ready' }, { size: 3 }, { phase: 5 }, { phase: null }]),
    ...random.pick([{}, { spec: { size: 4 } }]),
  }),
};
