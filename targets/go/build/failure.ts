/** Of what Go said, at its end. */
const LAST_LINES = 12;

/** What a failure may come from, by what Go said; the first that fits is told. */
const HINTS: readonly { readonly said: RegExp; readonly hint: string }[] = [
  { said: /signal: killed|cannot allocate memory/, hint: 'memory ran out: a large program takes 3 GiB to build' },
  { said: /no space left on device/, hint: 'the disk is full: Go keeps what it compiles below `go env GOCACHE`' },
  {
    said: /dial tcp|no such host|i\/o timeout|proxyconnect|TLS handshake/,
    hint: 'Go could not reach its module proxy (GOPROXY, HTTPS_PROXY)',
  },
  { said: /checksum mismatch|SECURITY ERROR/, hint: 'a module is not what its sum says: clear it with `go clean -modcache`' },
  {
    said: /build constraints exclude all Go files|undefined: (syscall|unix)\./,
    hint: 'a module does not know GOOS=js: replace it by a copy that does',
  },
];
const OTHERWISE = 'look whether `GOOS=js GOARCH=wasm go build` takes the same package by hand';

/** Words for a failure: what failed, the last that Go said, and one hint. */
export function failure(what: string, said: string): string {
  const lines = said
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading '))
    .slice(-LAST_LINES);
  const { hint = OTHERWISE } = HINTS.find((one) => one.said.test(said)) ?? {};
  return [`${what}; ${hint}. Go said:`, ...lines].join('\n  ');
}
