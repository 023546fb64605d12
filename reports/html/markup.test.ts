import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { html, trusted } from './markup.ts';

test('parts are escaped unless they are markup; absent ones leave nothing', () => {
  const name = `<img src=x onerror='alert(1)'>&"`;
  expect(html`<p title="${name}">${name}</p>`.text).toBe(
    '<p title="&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;">&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;</p>',
  );
  expect(html`${false}${undefined}${0}${[html`<b>${'<'}</b>`, [trusted('<i>')]]}`.text).toBe('0<b>&lt;</b><i>');
});

test('text cannot break out of its context', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(html`${text}`.text).not.toMatch(/[<>"']/);
    }),
  );
});

test('control characters are written as text', () => {
  expect(html`${`a${String.fromCharCode(0)}b${String.fromCharCode(0x202e)}`}`.text).toBe('a\\x00b\\u202e');
});
