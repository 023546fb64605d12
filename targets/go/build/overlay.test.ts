import { expect, test } from '@playwright/test';
import { OverlayError, overlaidFiles } from './overlay.ts';

const overlayText = (text: string, goVersion: string): string => overlaidFiles(() => text, goVersion, false)[0]?.text ?? '';

/** The parts of Go 1.26's file that are changed, with some context. */
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

test('fetch is always used, and errors with the code of a socket become socket errors', () => {
  const text = overlayText(SAMPLE, 'go1.26.0');
  expect(text).not.toContain('DialContext');
  expect(text).not.toContain('strings');
  expect(text).toContain('\tif jsFetchMissing || jsFetchDisabled {');
  expect(text).toContain('var jsFetchDisabled = false\n');
  expect(text).toContain('\t"io"\n\t"net"\n\t"net/http/internal/ascii"\n\t"net/url"\n\t"os"\n\t"strconv"\n\t"syscall"\n\t"syscall/js"\n');
  expect(text.split('jsSocketError(args[0], io.ErrUnexpectedEOF)')).toHaveLength(3);
  expect(text).toContain('jsSocketError(err, io.EOF)');
  // Other errors keep their message.
  expect(text).toContain('fmt.Errorf("net/http: fetch() failed: %s", errMsg)');
});

test('signals that js lacks can be named', () => {
  const files = overlaidFiles(() => SAMPLE, 'go1.26.0', false);
  expect(files.find(({ path }) => path === 'src/syscall/gohost_js.go')?.text).toContain('SIGUSR1 = Signal(10)');
});

test('only a program with coverage tells its host where its counters are', () => {
  const paths = (coverage: boolean): string[] => overlaidFiles(() => SAMPLE, 'go1.26.0', coverage).map(({ path }) => path);
  expect(paths(true)).toEqual([...paths(false), 'src/internal/coverage/cfile/hooks.go']);
});

for (const [what, text, message] of [
  ['a missing place', SAMPLE.replace('t.DialTLS != nil || ', ''), "RoundTrip's condition for not using fetch occurs 0 times"],
  ['a place that occurs twice', `${SAMPLE}\t"io"\n`, 'the import of io occurs 2 times'],
  ['a place that occurs once instead of twice', SAMPLE.replace('errors.New(args[0]', 'other(args[0]'), 'occurs 1 times, not 2'],
] as const) {
  test(`another Go version's file is refused: ${what}`, () => {
    expect(() => overlayText(text, 'go1.99')).toThrow(OverlayError);
    expect(() => overlayText(text, 'go1.99')).toThrow(message);
    expect(() => overlayText(text, 'go1.99')).toThrow('net/http/roundtrip_js.go of go1.99 is unknown');
  });
}
