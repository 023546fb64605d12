import { expect, test } from '@playwright/test';
import { OverlayError, overlaidFiles } from './overlay.ts';

const overlayText = (text: string, goVersion: string): string => overlaidFiles(() => text, goVersion)[0]?.text ?? '';

/** The places of Go 1.26's text that are changed, and some of what stands around them. */
const SAMPLE = [
  'package http',
  '',
  'import (',
  '\t"errors"',
  '\t"fmt"',
  '\t"io"',
  '\t"net/http/internal/ascii"',
  '\t"net/url"',
  '\t"strconv"',
  '\t"strings"',
  '\t"syscall/js"',
  ')',
  '',
  'var jsFetchDisabled = js.Global().Get("process").Type() == js.TypeObject &&',
  '\tstrings.HasPrefix(js.Global().Get("process").Get("argv0").String(), "node")',
  '',
  '\tif t.Dial != nil || t.DialContext != nil || t.DialTLS != nil || t.DialTLSContext != nil || jsFetchMissing || jsFetchDisabled {',
  '\t\terrCh <- fmt.Errorf("net/http: fetch() failed: %s", errMsg)',
  '\t\t\terrCh <- errors.New(args[0].Get("message").String())',
  '\t\t\terrCh <- errors.New(args[0].Get("message").String())',
  '\t\t\tbody = &streamReader{stream: b.Call("getReader")}',
  'type streamReader struct {',
  '\t\t\tr.err = err',
  '\t\t\treturn 0, err',
  '\t\t}',
  '',
].join('\n');

test('fetch is used whatever was set, and errors with the code of a socket are those of a socket', () => {
  const text = overlayText(SAMPLE, 'go1.26.0');
  expect(text).not.toContain('DialContext');
  expect(text).not.toContain('strings');
  expect(text).toContain('\tif jsFetchMissing || jsFetchDisabled {');
  expect(text).toContain('var jsFetchDisabled = false\n');
  expect(text).toContain('\t"io"\n\t"net"\n\t"net/http/internal/ascii"\n\t"net/url"\n\t"os"\n\t"strconv"\n\t"syscall"\n\t"syscall/js"\n');
  expect(text.split('jsSocketError(args[0], io.ErrUnexpectedEOF)')).toHaveLength(3);
  expect(text).toContain('jsSocketError(err, io.EOF)');
  // What nobody has an error of a socket for is said as before.
  expect(text).toContain('fmt.Errorf("net/http: fetch() failed: %s", errMsg)');
});

for (const [what, text, message] of [
  ['a place that is not there', SAMPLE.replace('t.DialTLS != nil || ', ''), "RoundTrip's condition for not using fetch is there 0 times"],
  ['a place that is there twice', `${SAMPLE}\t"io"\n`, 'the import of io is there 2 times'],
  ['a place that is there once, not twice', SAMPLE.replace('errors.New(args[0]', 'other(args[0]'), 'there 1 times, not 2'],
] as const) {
  test(`another Go's text is refused: ${what}`, () => {
    expect(() => overlayText(text, 'go1.99')).toThrow(OverlayError);
    expect(() => overlayText(text, 'go1.99')).toThrow(message);
    expect(() => overlayText(text, 'go1.99')).toThrow('go1.99 has another text of net/http/roundtrip_js.go');
  });
}
