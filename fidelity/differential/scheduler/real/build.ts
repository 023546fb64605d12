import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Artefact } from '../../../../targets/go/artefacts/cache.ts';
import { buildGoProgram } from '../../../../targets/go/build/build.ts';
import type { BuildOptions } from '../../../../targets/go/build/spec.ts';

/** The release whose scheduler is run. */
export const SCHEDULER_VERSION = '1.34.4';
/** That of the modules that are published from Kubernetes' own repository. */
const STAGED_VERSION = `v${SCHEDULER_VERSION.replace(/^1/, '0')}`;
const KUBERNETES = 'k8s.io/kubernetes';
/** Folders of Kubernetes that its scheduler is compiled from. */
const FOLDERS = ['pkg', 'cmd/kube-scheduler', 'plugin', 'api', 'third_party'];
/** With initial memory for its caches; the maximum is that of GOOS=js. */
const MEMORY = { initialMiB: 128, mostMiB: 1_024 };

const moduleSchema = z.object({ Dir: z.string() });

/** A change of a file. */
interface Edit {
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/** A module of which a changed copy is compiled. */
interface Copy {
  readonly module: string;
  /** Its folder next to the main module. */
  readonly folder: string;
  readonly edits: readonly Edit[];
  /** Texts by file. */
  readonly added?: Readonly<Record<string, string>>;
}

/**
 * Builds kube-scheduler for the wasm host, or finds it built. It is compiled as published, except where GOOS=js lacks something that
 * it does not use here: a signal that dumps its cache, options of sockets, sizes of
 * terminals, locks of files, and the journal of systemd.
 * @throws BuildError, and Error if a module can't be downloaded or a file is not as expected
 */
export async function buildScheduler(options: BuildOptions = {}): Promise<Artefact> {
  const work = mkdtempSync(join(tmpdir(), 'scaleproof-scheduler-'));
  try {
    writeModule(work);
    const { artefact } = await buildGoProgram(
      {
        program: 'kube-scheduler',
        version: SCHEDULER_VERSION,
        module: 'scaleproof.invalid/kube-scheduler',
        package: `${KUBERNETES}/cmd/kube-scheduler`,
        source: work,
        memory: MEMORY,
      },
      options,
    );
    return artefact;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A main module that requires Kubernetes' own versions of everything. */
function writeModule(folder: string): void {
  const kubernetes = downloaded(`${KUBERNETES}@v${SCHEDULER_VERSION}`);
  const goMod = readFileSync(join(kubernetes, 'go.mod'), 'utf8');
  const [, go] = /^go (\S+)$/m.exec(goMod) ?? [];
  if (go === undefined) throw new Error(`${kubernetes}/go.mod names no Go version`);
  const staged = [...goMod.matchAll(/^\t(\S+) => \.\/staging\//gm)].flatMap(([, module]) => module ?? []);
  // Go needs the published modules, which Kubernetes' go.mod requires as v0.0.0.
  const published = staged.filter((module) => !module.startsWith('k8s.io/sample-'));
  const required = goMod.split('\n').filter((line) => /^\t\S+ v\S+/.test(line) && !line.includes(' v0.0.0') && !line.includes('=>'));
  const copied = new Set(COPIES.map(({ module }) => module));
  const lines = [
    'module scaleproof.invalid/kube-scheduler',
    `go ${go}`,
    'require (',
    `\t${KUBERNETES} v${SCHEDULER_VERSION}`,
    ...required,
    ')',
    'replace (',
    ...[{ module: KUBERNETES, folder: 'kubernetes' }, ...COPIES].map((copy) => `\t${copy.module} => ./${copy.folder}`),
    ...published.filter((module) => !copied.has(module)).map((module) => `\t${module} => ${module} ${STAGED_VERSION}`),
    ')',
  ];
  writeFileSync(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
  copyFile(join(kubernetes, 'go.sum'), join(folder, 'go.sum'));
  mkdirSync(join(folder, 'kubernetes'));
  copyFile(join(kubernetes, 'go.mod'), join(folder, 'kubernetes/go.mod'));
  for (const part of FOLDERS) copyFolder(join(kubernetes, part), join(folder, 'kubernetes', part));
  change(join(folder, 'kubernetes'), [
    { file: 'pkg/scheduler/backend/cache/debugger/signal.go', from: 'syscall.SIGUSR2', to: 'syscall.SIGTRAP' },
  ]);
  for (const { module, folder: name, edits, added = {} } of COPIES) {
    const version = staged.includes(module) ? STAGED_VERSION : required.find((line) => line.startsWith(`\t${module} `))?.split(' ')[1];
    if (version === undefined) throw new Error(`${kubernetes}/go.mod does not require ${module}`);
    copyFolder(downloaded(`${module}@${version}`), join(folder, name));
    change(join(folder, name), edits);
    for (const [file, text] of Object.entries(added)) writeFileSync(join(folder, name, file), text);
  }
}

function change(folder: string, edits: readonly Edit[]): void {
  for (const { file, from, to } of edits) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll(from, to);
    if (changed === text) throw new Error(`${file} is not as expected: ${String(from)} does not occur`);
    writeFileSync(path, changed);
  }
}

/** No terminal, as where standard output is not one. */
const TERM_JS = `package term

import (
	"errors"
	"io"
	"os"
)

// ErrInvalidState is never returned.
var ErrInvalidState = errors.New("invalid terminal state")

// Termios has no settings.
type Termios struct{}

type terminalState struct{}

var errNone = errors.New("not a terminal")

func stdStreams() (io.ReadCloser, io.Writer, io.Writer)   { return os.Stdin, os.Stdout, os.Stderr }
func getFdInfo(interface{}) (uintptr, bool)               { return 0, false }
func getWinsize(uintptr) (*Winsize, error)                { return &Winsize{}, errNone }
func setWinsize(uintptr, *Winsize) error                  { return errNone }
func isTerminal(uintptr) bool                             { return false }
func restoreTerminal(uintptr, *State) error               { return errNone }
func saveState(uintptr) (*State, error)                   { return nil, errNone }
func disableEcho(uintptr, *State) error                   { return errNone }
func makeRaw(uintptr) (*State, error)                     { return nil, errNone }
func setRawTerminal(uintptr) (*State, error)              { return nil, errNone }
func setRawTerminalOutput(uintptr) (*State, error)        { return nil, errNone }
`;

/** A build constraint in both of its forms. */
const CONSTRAINT = /^\/\/go:build (.+)\n(?:\/\/ \+build .+\n)*/gm;

const COPIES: readonly Copy[] = [
  {
    module: 'k8s.io/apiserver',
    folder: 'apiserver',
    edits: [
      { file: 'pkg/server/options/serving_unix.go', from: /syscall\.SetsockoptInt\(.*\)/g, to: 'error(nil)' },
      { file: 'pkg/server/options/serving_unix.go', from: '\n\t"golang.org/x/sys/unix"\n', to: '' },
    ],
  },
  {
    module: 'github.com/moby/term',
    folder: 'term',
    edits: ['term_unix.go', 'termios_unix.go', 'termios_nonbsd.go'].map((file) => ({
      file,
      from: CONSTRAINT,
      to: '//go:build ($1) && !js\n',
    })),
    added: { 'term_js.go': TERM_JS },
  },
  {
    module: 'go.etcd.io/etcd/client/pkg/v3',
    folder: 'etcd',
    edits: [{ file: 'fileutil/lock_flock.go', from: /syscall\.Flock\(.*\); err/g, to: 'error(nil); err' }],
  },
  {
    module: 'github.com/coreos/go-systemd/v22',
    folder: 'systemd',
    edits: [{ file: 'journal/journal_unix.go', from: 'syscall.UnixRights(int(file.Fd()))', to: '[]byte(nil)' }],
  },
];

/** The folder of a module in Go's module cache, into which it is downloaded if necessary. */
function downloaded(module: string): string {
  const { stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: tmpdir() });
  if (error !== undefined) throw error;
  const parsed = moduleSchema.safeParse(JSON.parse(stdout === '' ? 'null' : stdout));
  if (!parsed.success) throw new Error(`${module} can't be downloaded: ${stderr.trim() || stdout.trim()}`);
  return parsed.data.Dir;
}

function copyFile(from: string, to: string): void {
  cpSync(from, to);
  chmodSync(to, 0o644);
}

/** Copies what is compiled: the module cache is read-only, and tests may have names that can't be resolved. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (entry.name !== 'testdata') copyFolder(source, copy);
    } else if (!entry.name.endsWith('_test.go')) copyFile(source, copy);
  }
}
