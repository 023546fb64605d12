import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from '@playwright/test';
import { drawMutants } from './draw.ts';
import { instrument } from './instrument.ts';
import { sitesOf } from './sites.ts';
import { mutableSources } from './workplace.ts';

/** Each site of a text as `kind: original -> variant | variant`. */
function shown(text: string): string[] {
  return sitesOf(text).map(({ kind, start, end, variants }) => `${kind}: ${text.slice(start, end)} -> ${variants.join(' | ')}`);
}

for (const [text, sites] of [
  ['return a < b;', ['comparison: a < b -> a <= b']],
  ['return a !== b;', ['comparison: a !== b -> a === b']],
  ['return a + b;', ['arithmetic: a + b -> a - b']],
  ['return a ?? b;', ['default-dropped: a ?? b -> a']],
  ['return a(b) && !c;', ['condition-dropped: a(b) && !c -> a(b) | !c', 'negation: a(b) -> !(a(b))', 'negation: !c -> c']],
  ['return a ? b : c;', ['negation: a -> !(a)']],
  ['return a.filter(b).map(c);', ['call-dropped: a.filter(b) -> a']],
  ['return a.some(b);', ['call-swapped: a.some(b) -> a.every(b)']],
  ['return a.toString(16);', ['constant: 16 -> 17 | 15 | 32 | 8 | 0']],
  ['return 1;', ['constant: 1 -> 2 | 0']],
  ['return 0.5;', ['constant: 0.5 -> 1.5 | -0.5 | 1 | 0.25 | 0']],
  ['return true;', ['constant: true -> false']],
  ['return [a, ...b];', ['element-dropped: [a, ...b] -> [...b] | [a]']],
  ['a();', ['statement-dropped: a(); -> ']],
  ['if (a) return;', ['statement-dropped: if (a) return; -> ', 'negation: a -> !(a)']],
  ['for (const a of b) { continue; }', ['statement-dropped: continue; -> ']],
] as const) {
  test(`where a fault can be planted: ${text}`, () => {
    expect(shown(`function planted() { ${text} }`)).toEqual(sites);
  });
}

test('an if with an else is not dropped', () => {
  expect(shown('if (a) b(); else c();')).toEqual(['negation: a -> !(a)']);
});

for (const [what, text] of [
  ['types', 'type A = 1 | true; let a: [string, 2];'],
  ['imports', "import { a } from './a.ts'; export { a } from './a.ts';"],
  ['log lines and metrics', "runtime.log('info', a < b); logFailure(log, 1, [a]); context.metrics.count.inc({ a: a ?? 1 });"],
  ['the inside of an optional chain', 'const a = b?.filter(c).length;'],
  ['arrays that take values', 'for (; ; [a, b] = c) d;'],
] as const) {
  test(`no fault is planted in ${what}`, () => {
    expect(shown(text).filter((site) => !site.startsWith('statement-dropped'))).toEqual([]);
  });
}

test('an expression is pure if its text shows nothing that changes anything', () => {
  const pure = (text: string): boolean | undefined => sitesOf(text).find(({ kind }) => kind === 'comparison')?.pure;
  for (const text of ['a < b.c', 'a.has(b) !== (d ?? true)', 'clock.nowMs() - a > -b']) expect(pure(`f(${text});`), text).toBe(true);
  for (const text of [
    'a() < b',
    'a++ < b',
    '(a = b) < c',
    'await a < b',
    'a.shift() < b',
    'new A() === b',
    '[...a].length < b',
    'kube.get(a) === b',
  ])
    expect(pure(`f(${text});`), text).toBe(false);
});

test('with every fault of the controller, each file is still one that Node can load', () => {
  const sources = mutableSources();
  const all = drawMutants(sources, { count: Infinity, seed: 1 });
  expect(sources.length).toBeGreaterThan(50);
  expect(all.length).toBeGreaterThan(1_000);
  for (const { file, text } of sources) {
    const own = all.filter((mutant) => mutant.file === file);
    expect(() => stripTypeScriptTypes(instrument(text, own, './switch.ts')), file).not.toThrow();
  }
});
