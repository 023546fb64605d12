import { expect, test } from '@playwright/test';
import { defined } from './defined.ts';

test('fields without a value are absent, and the others keep their order, also those that are empty', () => {
  const fields = defined({ z: 1, gone: undefined, nothing: null, none: 0, no: false, empty: '', a: 2 });
  expect(Object.entries(fields)).toEqual(Object.entries({ z: 1, nothing: null, none: 0, no: false, empty: '', a: 2 }));
});
