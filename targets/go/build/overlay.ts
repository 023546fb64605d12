/** The one file of Go's standard library that is changed, beneath GOROOT. */
export const OVERLAID_FILE = 'src/net/http/roundtrip_js.go';

/** The toolchain's text is not the one that this knows how to change. */
export class OverlayError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OverlayError';
  }
}

interface Edit {
  /** What the place is, for who has to mend it for another Go. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
  /** How often it is there; once where nothing is said. */
  readonly times?: number;
}

const EDITS: readonly Edit[] = [
  // Their users go, or come, below.
  { place: 'the import of strings', from: '\t"strings"\n', to: '' },
  { place: 'the import of io', from: '\t"io"\n', to: '\t"io"\n\t"net"\n' },
  { place: 'the import of net/url', from: '\t"net/url"\n', to: '\t"net/url"\n\t"os"\n' },
  { place: 'the import of syscall/js', from: '\t"syscall/js"\n', to: '\t"syscall"\n\t"syscall/js"\n' },
  {
    place: 'jsFetchDisabled, which is set under Node.js',
    from: 'var jsFetchDisabled = js.Global().Get("process").Type() == js.TypeObject &&\n\tstrings.HasPrefix(js.Global().Get("process").Get("argv0").String(), "node")\n',
    to: 'var jsFetchDisabled = false\n',
  },
  {
    place: "RoundTrip's condition for not using fetch",
    from: 'if t.Dial != nil || t.DialContext != nil || t.DialTLS != nil || t.DialTLSContext != nil || jsFetchMissing || jsFetchDisabled {',
    to: 'if jsFetchMissing || jsFetchDisabled {',
  },
  {
    place: 'the error of a fetch that failed',
    from: 'errCh <- fmt.Errorf("net/http: fetch() failed: %s", errMsg)',
    to: 'if socketErr := jsSocketError(err, io.EOF); socketErr != nil {\n\t\t\terrCh <- socketErr\n\t\t\treturn nil\n\t\t}\n\t\terrCh <- fmt.Errorf("net/http: fetch() failed: %s", errMsg)',
  },
  {
    place: 'the errors of bodies that could not be read',
    from: 'errCh <- errors.New(args[0].Get("message").String())',
    to: 'if socketErr := jsSocketError(args[0], io.ErrUnexpectedEOF); socketErr != nil {\n\t\t\t\terrCh <- socketErr\n\t\t\t\treturn nil\n\t\t\t}\n\t\t\terrCh <- errors.New(args[0].Get("message").String())',
    times: 2,
  },
];

/** What Go's own network gives in each case: `net.OpError` around `os.SyscallError` (net/fd_posix.go), by which clients tell what to retry. */
const ADDED = `
// jsSocketError is the error that a socket would have given, where the JavaScript error has the code of one; else nil.
// At the end of a connection that is eof.
func jsSocketError(err js.Value, eof error) error {
	if err.Type() != js.TypeObject {
		return nil
	}
	code := err.Get("code")
	if code.Type() != js.TypeString {
		return nil
	}
	switch code.String() {
	case "ECONNREFUSED":
		return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case "ECONNRESET":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	case "EPIPE":
		return &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	case "ETIMEDOUT":
		return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
	case "EOF":
		return eof
	}
	return nil
}
`;

/**
 * Go's `net/http/roundtrip_js.go` so that every request of a program goes to `fetch`, also where the program dials by itself and under
 * Node.js, and so that an error of `fetch` whose `code` is that of a socket reaches the program as the error of a socket.
 * @param text as the toolchain has it
 * @param goVersion for the message
 * @throws OverlayError where a place to be changed is not there as often as it must be
 */
export function overlayText(text: string, goVersion: string): string {
  let changed = text;
  for (const { place, from, to, times = 1 } of EDITS) {
    const parts = changed.split(from);
    if (parts.length !== times + 1)
      throw new OverlayError(
        `${goVersion} has another text of net/http/roundtrip_js.go than Scaleproof knows: ${place} is there ${parts.length - 1} times, not ${times}; ` +
          `use a Go release whose text is known (1.26), or a Scaleproof that knows this one`,
      );
    changed = parts.join(to);
  }
  return changed + ADDED;
}
