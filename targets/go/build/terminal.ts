import type { Additions } from './additions.ts';

/**
 * What kubectl's libraries name of terminals, and golang.org/x/sys lacks for js. Every call answers that there is no terminal, as in
 * a pod. Numbers are those of Linux.
 */
export const TERMINAL: Additions = {
  'golang.org/x/sys': {
    'unix/gohost_js.go': `package unix

import "syscall"

const (
	SIGWINCH = syscall.Signal(28)

	TCGETS     = 0x5401
	TCSETS     = 0x5402
	TIOCGWINSZ = 0x5413
	TIOCSWINSZ = 0x5414

	IGNBRK = 0x1
	BRKINT = 0x2
	PARMRK = 0x8
	ISTRIP = 0x20
	INLCR  = 0x40
	IGNCR  = 0x80
	ICRNL  = 0x100
	IXON   = 0x400
	OPOST  = 0x1
	CSIZE  = 0x30
	CS8    = 0x30
	PARENB = 0x100
	ISIG   = 0x1
	ICANON = 0x2
	ECHO   = 0x8
	ECHONL = 0x40
	IEXTEN = 0x8000
	VTIME  = 0x5
	VMIN   = 0x6
)

type Termios struct {
	Iflag  uint32
	Oflag  uint32
	Cflag  uint32
	Lflag  uint32
	Line   uint8
	Cc     [19]uint8
	Ispeed uint32
	Ospeed uint32
}

type Winsize struct {
	Row    uint16
	Col    uint16
	Xpixel uint16
	Ypixel uint16
}

func IoctlGetTermios(fd int, req uint) (*Termios, error) {
	return &Termios{}, syscall.ENOTTY
}

func IoctlSetTermios(fd int, req uint, value *Termios) error {
	return syscall.ENOTTY
}

func IoctlGetWinsize(fd int, req uint) (*Winsize, error) {
	return &Winsize{}, syscall.ENOTTY
}

func IoctlSetWinsize(fd int, req uint, value *Winsize) error {
	return syscall.ENOTTY
}
`,
  },
};
