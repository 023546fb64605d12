import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { formatReplayLine, parseReplayLine } from './replay-line.ts';

const hex = fc.stringMatching(/^[0-9a-f]{12}$/);
const text = fc.string({ minLength: 1, unit: 'grapheme' });
const ofWorld = fc.record(
  {
    world: fc.constantFrom('embedded:quick', 'kind:real-nodes', 'existing'),
    ec2: fc.constantFrom('localstack', 'embedded'),
    mode: fc.constantFrom('routed', 'observed'),
    maxInstances: fc.nat(),
    crash: fc.record({ moment: fc.constantFrom('before', 'after', 'upgrade'), nth: fc.integer({ min: 1, max: 99_999 }) }),
    upgrade: fc.constant('none'),
  },
  { requiredKeys: [] },
);

test('a line is one token that needs no shell quoting, and parses back to the same value', () => {
  fc.assert(
    fc.property(
      text,
      hex,
      text,
      fc.nat(),
      fc.nat(),
      hex,
      ofWorld,
      (scenario, scenarioDigest, target, seed, nodes, catalogueDigest, world) => {
        const line = { scenario, scenarioDigest, target, seed, nodes, ...world, catalogueDigest };
        const token = formatReplayLine(line);
        expect(token).toMatch(/^[A-Za-z0-9_.,:=@%/#+-]+$/);
        expect(parseReplayLine(token)).toEqual(line);
      },
    ),
  );
});

for (const { line, says } of [
  { line: '', says: 'begins with "sp1,"' },
  { line: 'sp2,seed=1', says: 'begins with "sp1,"' },
  { line: 'sp1,seed', says: 'not of the form name=value' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=x,nodes=10,catalogue=0123456789ab', says: 'seed' },
  { line: 'sp1,scenario=a,target=reference,seed=1,nodes=10,catalogue=0123456789ab', says: 'scenario must be an id or path' },
  { line: 'sp1,scenario=a%2@0123456789ab,target=reference,seed=1,nodes=10,catalogue=0123456789ab', says: 'percent-encoded' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,catalogue=0123456789ab,more=1', says: 'more' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,world=kind,ec2=aws,catalogue=0123456789ab', says: 'ec2' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,mode=free,catalogue=0123456789ab', says: 'mode' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,crash=at:3,catalogue=0123456789ab', says: 'crash' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,crash=after:0,catalogue=0123456789ab', says: 'crash' },
  { line: 'sp1,scenario=a@0123456789ab,target=reference,seed=1,nodes=10,max-instances=x,catalogue=0123456789ab', says: 'max-instances' },
]) {
  test(`an invalid line is refused with a reason: ${line || 'nothing'}`, () => {
    expect(() => parseReplayLine(line)).toThrow(says);
  });
}
