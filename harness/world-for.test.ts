import { expect, test } from '@playwright/test';
import { EMBEDDED, EMBEDDED_IN_REAL_TIME } from '../world/embedded.ts';
import { worldFor, worldName } from './world-for.ts';

test('the machines of a real cluster on the virtual clock', () => {
  const quick = { kind: 'embedded', machines: 'quick' } as const;
  expect(worldFor({}, quick)).toMatchObject({
    time: 'virtual',
    facts: { name: 'embedded', capabilities: EMBEDDED.capabilities, allowances: EMBEDDED_IN_REAL_TIME.allowances },
  });
  expect(worldFor({}).facts).toEqual(EMBEDDED);
  expect(worldFor({ time: 'real' }, quick).time).toBe('real');
});

test('replay lines tell worlds apart that give other histories', () => {
  expect(worldName({ kind: 'embedded' })).toBe('embedded');
  expect(worldName({ kind: 'embedded', machines: 'quick' })).toBe('embedded:quick');
  expect(worldName({ kind: 'kind', kubeconfig: '/no/where' })).toBe('kind');
});
