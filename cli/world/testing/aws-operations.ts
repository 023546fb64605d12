import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { packageRoot } from '../../../model/package-root.ts';

/** The AWS operations of a world by name, sorted: as docs/fidelity.md lists them, which `quality/docs.test.ts` compares with the code. */
export function awsOperations(): readonly string[] {
  const page = readFileSync(join(packageRoot(), 'docs/fidelity.md'), 'utf8');
  const operations = [...page.matchAll(/^\| `(\w+:\w+)` \|/gm)].map(([, name = '']) => name);
  expect(operations.length).toBeGreaterThan(0);
  return operations.sort();
}
