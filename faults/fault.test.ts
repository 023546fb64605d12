import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { faults } from './catalogue.ts';
import { defineFault, mayFire, specify } from './fault.ts';
import type { Fault } from './fault.ts';

const params = z.strictObject({ count: z.number().int().positive(), loud: z.boolean().default(false) });

/** The form in which users have written faults since version 0.1.0: a plain object. */
const plain: Fault<z.infer<typeof params>, z.input<typeof params>> = {
  name: 'mine',
  summary: 'something of mine',
  params,
  legal: true,
  capabilities: ({ loud }) => (loud ? ['wire.aws', 'wire.kube'] : ['wire.aws']),
  color: '#b45309',
  describe: ({ count }) => `it happens ${count} times`,
  inject: () => () => undefined,
};

test('a defined fault is called with its parameters, and keeps all that defines it', () => {
  const fault = defineFault(plain);
  expect(fault({ count: 3 })).toMatchObject({
    name: 'mine',
    params: { count: 3, loud: false },
    description: 'it happens 3 times',
    capabilities: ['wire.aws'],
  });
  expect(fault({ count: 1, loud: true }).capabilities).toEqual(['wire.aws', 'wire.kube']);
  expect({ ...fault }).toEqual(plain);
});

test('a fault that is called with wrong parameters names the fault and the parameter', () => {
  expect(() => defineFault(plain)({ count: 0 })).toThrow(/^fault mine: `count` must be more than 0, and is 0$/);
  // @ts-expect-error: the compiler refuses it as well.
  expect(() => defineFault(plain)({})).toThrow(/^fault mine: `count` is missing: it must be a number$/);
});

test('specify accepts faults of the catalogue and plain ones, as in version 0.1.0', () => {
  const given = { operations: ['ec2:CreateFleet'], when: { kind: 'first', count: 15 } } as const;
  const { inject, ...spec } = specify(faults.lostAnswer, { ...given, operations: [...given.operations] });
  expect(inject).toBeInstanceOf(Function);
  expect(spec).toEqual({ ...faults.lostAnswer({ ...given, operations: [...given.operations] }), inject: undefined });
  expect(specify(plain, { count: 2 })).toMatchObject({ name: 'mine', description: 'it happens 2 times' });
});

test('a may-fire fault is otherwise the same', () => {
  const fault = faults.pause({});
  expect(mayFire(fault)).toEqual({ ...fault, firing: 'may-fire' });
});
