import { expect, test } from '@playwright/test';
import { defined } from './defined.ts';

test('undefined fields are dropped, and the others keep their order, even null and empty ones', () => {
  const fields = defined({ z: 1, gone: undefined, nothing: null, none: 0, no: false, empty: '', a: 2 });
  expect(Object.entries(fields)).toEqual(Object.entries({ z: 1, nothing: null, none: 0, no: false, empty: '', a: 2 }));
});
