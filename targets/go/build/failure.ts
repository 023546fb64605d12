/** How many of the last lines of Go's output are kept. */
const LAST_LINES = 12;

/** Likely causes of a failure, by Go's output; the first match is shown. */
const HINTS: readonly { readonly said: RegExp; readonly hint: string }[] = [
  { said: /signal: killed|cannot allocate memory/, hint: 'memory ran out: a large program takes 3 GiB to build' },
  { said: /no space left on device/, hint: 'the disk is full: Go keeps what it compiles below `go env GOCACHE`' },
  {
    said: /dial tcp|no such host|i\/o timeout|proxyconnect|TLS handshake/,
    hint: 'Go could not reach its module proxy (check GOPROXY and HTTPS_PROXY)',
  },
  { said: /checksum mismatch|SECURITY ERROR/, hint: 'a module does not match its checksum: clear the cache with `go clean -modcache`' },
  {
    said: /build constraints exclude all Go files|undefined: (syscall|unix)\./,
    hint: 'a module does not support GOOS=js: replace it by a copy that does',
  },
];
const OTHERWISE = 'check whether `GOOS=js GOARCH=wasm go build` compiles the package by hand';

/** The message for a failure: what failed, Go's last output, and one hint. */
export function failure(what: string, said: string): string {
  const lines = said
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading '))
    .slice(-LAST_LINES);
  const { hint = OTHERWISE } = HINTS.find((one) => one.said.test(said)) ?? {};
  return [`${what}; ${hint}. Go said:`, ...lines].join('\n  ');
}
