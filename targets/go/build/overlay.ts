/** The only file of Go's standard library that is changed, relative to GOROOT. */
const CHANGED_FILE = 'src/net/http/roundtrip_js.go';

/** The toolchain's file is not one that Scaleproof knows how to change. */
export class OverlayError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OverlayError';
  }
}

interface Edit {
  /** Describes the place, for adapting it to another version of Go. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
  /** How often it occurs; by default once. */
  readonly times?: number;
}

const EDITS: readonly Edit[] = [
  // The code that uses these is removed or added below.
  { place: 'the import of strings', from: '\t"strings"\n', to: '' },
  { place: 'the import of errors', from: 'import (\n', to: 'import (\n\t"context"\n' },
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
  // A body that is being read ends with its request's context, as on Go's own connections.
  {
    place: 'the fields of the reader of a body',
    from: 'type streamReader struct {\n',
    to: 'type streamReader struct {\n\tctx     context.Context\n',
  },
  {
    place: 'the making of the reader of a body',
    from: '&streamReader{stream: b.Call("getReader")}',
    to: '&streamReader{ctx: req.Context(), stream: b.Call("getReader")}',
  },
  {
    place: 'the wait for a part of a body',
    from: '\t\t\tr.err = err\n\t\t\treturn 0, err\n\t\t}\n',
    to: `\t\t\tr.err = err
\t\t\treturn 0, err
\t\tcase <-r.ctx.Done():
\t\t\t// The read ends then; before that its functions must not be released.
\t\t\tr.stream.Call("cancel")
\t\t\tselect {
\t\t\tcase <-bCh:
\t\t\tcase <-errCh:
\t\t\t}
\t\t\tr.err = r.ctx.Err()
\t\t\treturn 0, r.err
\t\t}
`,
  },
];

/** The errors of Go's own network: `net.OpError` around `os.SyscallError` (net/fd_posix.go), by which clients decide to retry. */
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
 * Files added to packages of the standard library, by their paths relative to GOROOT. All but that of `syscall` offer a function to
 * the host, in the object `goHost` of the global object; without that object they do nothing.
 */
const ADDED_FILES: Readonly<Record<string, string>> = {
  'src/os/signal/gohost_js.go': `//go:build js && wasm

package signal

import (
	"syscall"
	"syscall/js"
)

// signal(number) delivers a signal, if the program has asked for it, and tells whether it has.
func init() {
	host := js.Global().Get("goHost")
	if host.Type() != js.TypeObject {
		return
	}
	host.Set("signal", js.FuncOf(func(_ js.Value, args []js.Value) any {
		number := args[0].Int()
		handlers.Lock()
		isHandled := handlers.ref[number] > 0
		handlers.Unlock()
		if isHandled {
			process(syscall.Signal(number))
		}
		return isHandled
	}))
}
`,
  'src/net/http/gohost_js.go': `//go:build js && wasm

package http

import (
	"io"
	"syscall/js"
)

// get(url, answer) asks a server within the program, and calls answer(status, body); the status is 0 where nothing answered.
func init() {
	host := js.Global().Get("goHost")
	if host.Type() != js.TypeObject {
		return
	}
	host.Set("get", js.FuncOf(func(_ js.Value, args []js.Value) any {
		url, answer := args[0].String(), args[1]
		go func() {
			status, body := getForHost(url)
			answer.Invoke(status, body)
		}()
		return nil
	}))
}

func getForHost(url string) (int, string) {
	req, err := NewRequest("GET", url, nil)
	if err != nil {
		return 0, err.Error()
	}
	transport := &Transport{DialContext: zeroDialer.DialContext, DisableKeepAlives: true}
	res, err := transport.roundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(body)
}
`,
  'src/runtime/gohost_js.go': `//go:build js && wasm

package runtime

import (
	"internal/byteorder"
	_ "unsafe"
)

// reseedForHost seeds the chance of maps, selects and math/rand anew, with random data of the host.
//
//go:linkname reseedForHost syscall/js.reseedForHost
func reseedForHost() {
	var data [32]byte
	readRandom(data[:])
	var seed [4]uint64
	for i := range seed {
		seed[i] = byteorder.LEUint64(data[i*8:])
	}
	mp := getg().m
	mp.chacha8.Init64(seed)
	mp.cheaprand = rand()
}
`,
  // Its values are those of Linux.
  'src/syscall/gohost_js.go': `//go:build js && wasm

package syscall

// Signals that Unix has and js lacks: programs that name them would not compile. Nobody sends them.
const (
	SIGHUP  = Signal(1)
	SIGUSR1 = Signal(10)
	SIGUSR2 = Signal(12)
)
`,
  'src/syscall/js/gohost_js.go': `//go:build js && wasm

package js

// Implemented in runtime.
func reseedForHost()

// reseed() has the runtime draw chance from the host's anew: a program that goes on from a memory image needs chance of its own.
func init() {
	host := Global().Get("goHost")
	if host.Type() != TypeObject {
		return
	}
	host.Set("reseed", FuncOf(func(Value, []Value) any {
		reseedForHost()
		return nil
	}))
}
`,
};

/**
 * The same for a program that counts which of its code has run: Go's own file would write the counters to a folder at exit, and
 * complain where there is none. A target is killed more often than it exits, so the host reads them from its memory.
 */
const COVERAGE_FILES: Readonly<Record<string, string>> = {
  'src/internal/coverage/cfile/hooks.go': `package cfile

import (
	"syscall/js"
	"unsafe"
)

// InitHook tells the host where the counters are: their address, and how many numbers of 32 bits there are.
func InitHook(bool) {
	host := js.Global().Get("goHost")
	if host.Type() != js.TypeObject {
		return
	}
	for _, counters := range getCovCounterList() {
		host.Set("countersAt", uintptr(unsafe.Pointer(counters.Counters)))
		host.Set("countersLength", counters.Len)
	}
}
`,
};

/** A file of the standard library as changed for a build. */
interface OverlaidFile {
  /** Relative to GOROOT. */
  readonly path: string;
  readonly text: string;
}

/**
 * All changes of a build to Go's standard library: one changed file, and a few added ones.
 * @param read the text of a file, relative to GOROOT
 * @param goVersion for the message
 * @param coverage whether the program counts which of its code has run: then one more file is changed
 * @throws OverlayError if a place to be changed does not occur as often as expected
 */
export function overlaidFiles(read: (path: string) => string, goVersion: string, coverage: boolean): OverlaidFile[] {
  const changed = { path: CHANGED_FILE, text: changedText(read(CHANGED_FILE), goVersion) };
  const whole = { ...ADDED_FILES, ...(coverage ? COVERAGE_FILES : {}) };
  return [changed, ...Object.entries(whole).map(([path, text]) => ({ path, text }))];
}

/**
 * Changes Go's `net/http/roundtrip_js.go` so that every request of a program goes to `fetch`, even if the program sets a dialer and
 * under Node.js, and so that an error of `fetch` whose `code` is that of a socket becomes a socket error in the program.
 * @param text the toolchain's file
 * @param goVersion for the message
 * @throws OverlayError if a place to be changed does not occur as often as expected
 */
function changedText(text: string, goVersion: string): string {
  let changed = text;
  for (const { place, from, to, times = 1 } of EDITS) {
    const parts = changed.split(from);
    if (parts.length !== times + 1)
      throw new OverlayError(
        `net/http/roundtrip_js.go of ${goVersion} is unknown to this version of Scaleproof: ${place} occurs ${parts.length - 1} times, not ${times}; ` +
          `use a known Go release (1.26), or a version of Scaleproof that supports this one`,
      );
    changed = parts.join(to);
  }
  return changed + ADDED;
}
