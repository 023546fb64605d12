import { expect, test } from '@playwright/test';
import { matchesFields, parseFieldSelector } from './field-selector.ts';
import { SELECTOR_LENGTH_MAX, SelectorSyntaxError, matchesRequirements, parseLabelSelector } from './label-selector.ts';
import { StatusError } from './status.ts';

const labels = { app: 'web', tier: 'front', size: '3', 'karpenter.sh/nodepool': 'default', empty: '' };

const selectors: [string, boolean][] = [
  ['', true],
  ['app=web', true],
  ['app==web', true],
  ['app = web', true],
  ['  app   !=   db  ,  tier  ', true],
  ['app=db', false],
  ['app!=db', true],
  ['missing!=db', true],
  ['app in (web,db)', true],
  ['app in (db)', false],
  ['app notin (db)', true],
  ['missing notin (db)', true],
  ['app notin(web)', false],
  ['app', true],
  ['missing', false],
  ['!missing', true],
  ['!app', false],
  ['size>2', true],
  ['size<3', false],
  ['empty=', true],
  ['karpenter.sh/nodepool=default,app in (web, db),tier', true],
  ['karpenter.sh/nodepool=default,app in (web, db),!tier', false],
];

for (const [selector, expected] of selectors) {
  test(`"${selector}" ${expected ? 'selects' : 'does not select'}`, () => {
    expect(matchesRequirements(parseLabelSelector(selector), labels)).toBe(expected);
  });
}

for (const selector of ['a=b=c', 'a b', '=b', 'a in b', 'a in (b', ',', 'size>x', 'a=~', '-a=b']) {
  test(`"${selector}" is refused`, () => {
    expect(() => parseLabelSelector(selector)).toThrow(SelectorSyntaxError);
  });
}

for (const [title, text] of Object.entries({
  'trailing blanks': `a${' '.repeat(SELECTOR_LENGTH_MAX - 2)}b`,
  'blanks after a sign': `a=${' '.repeat(SELECTOR_LENGTH_MAX - 3)}=`,
  'blanks in a set': `a in${' '.repeat(SELECTOR_LENGTH_MAX - 5)}b`,
})) {
  test(`a selector of the maximum length with ${title} is refused quickly`, () => {
    expect(() => parseLabelSelector(text)).toThrow(SelectorSyntaxError);
  });
}

test('a selector that is too long is refused', () => {
  const text = Array.from({ length: SELECTOR_LENGTH_MAX / 4 + 1 }, () => 'a=b').join(',');
  expect(() => parseLabelSelector(text)).toThrow(`the selector has ${text.length} characters, at most ${SELECTOR_LENGTH_MAX} are allowed`);
});

test('field selectors compare supported fields and refuse others', () => {
  const fields = ['metadata.name', 'spec.nodeName'];
  const object: Record<string, string> = { 'metadata.name': 'p' };
  const matches = (text: string): boolean => matchesFields(parseFieldSelector(text, fields), (field) => object[field]);
  expect(matches('metadata.name=p,spec.nodeName=')).toBe(true);
  expect(matches('spec.nodeName!=')).toBe(false);
  expect(matches('metadata.name!=q')).toBe(true);
  expect(matches('metadata.name==q')).toBe(false);
  expect(() => parseFieldSelector('spec.foo=1', fields)).toThrow(new StatusError(400, 'BadRequest', 'field label not supported: spec.foo'));
  expect(() => parseFieldSelector('spec.nodeName', fields)).toThrow("invalid selector: 'spec.nodeName'; can't understand 'spec.nodeName'");
});

test('values of field selectors are unescaped, and wrong escapes refused', () => {
  const read = (text: string): object => parseFieldSelector(text, ['a', 'b']);
  expect(read(String.raw`b!=x\,a\=y\\,a=1`)).toEqual([
    { field: 'a', operator: '=', value: '1' },
    { field: 'b', operator: '!=', value: 'x,a=y\\' },
  ]);
  expect(() => read('a=1=2')).toThrow('invalid field selector: unescaped character in value: 61');
  expect(() => read(String.raw`a=\b`)).toThrow(String.raw`invalid field selector: invalid escape sequence: \b`);
  expect(() => read('a=\\')).toThrow('invalid field selector: invalid escape sequence: \\');
});
