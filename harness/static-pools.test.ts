import { expect, test } from '@playwright/test';
import type { InstanceType, Pool } from '../model/catalogue.ts';
import { LABEL } from '../model/kube.ts';
import { pool } from './scenario.ts';
import { canBeFilled } from './static-pools.ts';

const TYPES = [{ type: 'm6i.large', architecture: 'x86_64', zones: ['a', 'b'], usageClasses: ['on-demand'] }] as unknown as InstanceType[];
const fixed = (more: Parameters<typeof pool>[1] = {}): Pool => pool('fixed', { instanceTypes: ['m6i.large'], replicas: 2, ...more });

for (const { what, of, can } of [
  { what: 'static', of: fixed(), can: true },
  { what: 'in a zone that exists', of: fixed({ zones: ['a'] }), can: true },
  { what: 'limited to its own number of nodes', of: fixed({ limits: { nodes: 2 } }), can: true },
  { what: 'not static', of: pool('elastic'), can: false },
  { what: 'in a zone that does not exist', of: fixed({ zones: ['z'] }), can: false },
  { what: 'limited to fewer nodes', of: fixed({ limits: { nodes: 1 } }), can: false },
  { what: 'limited in CPU', of: fixed({ limits: { cpu: 100 } }), can: false },
  { what: 'of types that may not be there', of: fixed({ minimumValues: { [LABEL.instanceType]: 3 } }), can: false },
  {
    what: 'of a label that no offering decides',
    of: fixed({ requirements: [{ key: 'cpus', operator: 'Gt', values: ['64'] }] }),
    can: false,
  },
]) {
  test(`a pool ${what} ${can ? 'can' : 'may be unable to'} have all its nodes`, () => {
    expect(canBeFilled(of, TYPES)).toBe(can);
  });
}
