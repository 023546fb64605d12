import { expect, test } from '@playwright/test';
import type { CheckResult, Finding, Measurement } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { failuresOf } from './failures.ts';

const PLACE = { history: 'out/histories/a.jsonl', replay: 'sp1,scenario=a' };
const PLACE_LINES = ['  history: out/histories/a.jsonl', '  replay:  npx scaleproof replay sp1,scenario=a'];

function check(changes: Partial<CheckResult>): CheckResult {
  return { check: 'success-rate', verdict: 'fail', summary: 'in one line', findings: [], measurements: [], ...changes };
}

function finding(object: string, events: number[] = [], code = 'pod-not-served'): Finding {
  return { code, object, events, message: `${object} did not run.` };
}

function measured(name: string, worst: number | undefined, object?: string): Measurement {
  return {
    bound: { name, value: 60_000, unit: 'ms', formula: '1 min', reason: 'of a test' },
    ...defined({ worst, object }),
  };
}

const messagesOf = (result: CheckResult): string[] => failuresOf(result, PLACE).map(({ message }) => message);

test('a passed check gives no failures', () => {
  expect(failuresOf(check({ verdict: 'pass' }), PLACE)).toEqual([]);
});

test('an unknown check gives its reason, and how to look into it', () => {
  expect(failuresOf(check({ verdict: 'unknown', summary: 'a fault never fired' }), PLACE)).toEqual([
    { title: 'unknown', message: ['UNKNOWN: success-rate: a fault never fired', ...PLACE_LINES].join('\n') },
  ]);
});

test('a finding has its message, its bound, its events and the replay line', () => {
  const result = check({ findings: [finding('pods/a', [3, 5])], measurements: [measured('provision', 90_000, 'pods/a')] });
  expect(failuresOf(result, PLACE)).toEqual([
    {
      title: 'pod-not-served pods/a',
      message: [
        'pod-not-served pods/a',
        '  pods/a did not run.',
        '  bound:   provision of the check success-rate, at most 60 s; the worst was 90 s (pods/a)',
        '  history: out/histories/a.jsonl, events 3, 5',
        '  replay:  npx scaleproof replay sp1,scenario=a',
      ].join('\n'),
    },
  ]);
});

test('only the first events are named', () => {
  expect(messagesOf(check({ findings: [finding('pods/a', [1])] }))[0]).toContain('a.jsonl, event 1\n');
  expect(messagesOf(check({ findings: [finding('pods/a', [1, 2, 3, 4, 5, 6, 7])] }))[0]).toContain('events 1, 2, 3, 4, 5 and 2 more\n');
});

for (const { what, message: said = 'late', measurements, bounds } of [
  {
    what: 'those that its message names',
    message: 'late (bound a, 60 s)',
    measurements: [measured('a', 10), measured('b', 80_000, 'pods/a')],
    bounds: ['a'],
  },
  { what: 'exceeded ones before met ones', measurements: [measured('a', 10, 'pods/a'), measured('b', 80_000)], bounds: ['b'] },
  {
    what: 'its own before those of others',
    measurements: [measured('a', 90_000, 'pods/b'), measured('b', 80_000, 'pods/a')],
    bounds: ['b'],
  },
  { what: 'each only once', measurements: [measured('a', 80_000, 'pods/b'), measured('a', 90_000, 'pods/c')], bounds: ['a'] },
  {
    what: 'also one without a measurement',
    message: 'late (bound a, 60 s)',
    measurements: [measured('a', undefined)],
    bounds: ['a'],
  },
  { what: 'none that was met and is not named', measurements: [measured('a', 10, 'pods/a')], bounds: [] },
]) {
  test(`the bounds of a finding: ${what}`, () => {
    const findings = [{ ...finding('pods/a'), message: said }];
    const [message = ''] = messagesOf(check({ findings, measurements }));
    expect([...message.matchAll(/bound: +(\w+) of/g)].map(([, name]) => name)).toEqual(bounds);
  });
}

test('the findings of a code are listed up to a limit, separately from those of other codes', () => {
  const many = Array.from({ length: 9 }, (_, index) => finding(`pods/${index}`));
  const titles = failuresOf(check({ findings: [...many, finding('pods/x', [], 'late')] }), PLACE).map(({ title }) => title);
  expect(titles).toEqual([
    'pod-not-served pods/0',
    'pod-not-served pods/1',
    'pod-not-served pods/2',
    'and 6 more findings of pod-not-served',
    'late pods/x',
  ]);
});
