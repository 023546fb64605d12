/** The file system of a Go program: the few files that it is given, read-only, and its standard output. */

type Callback = (error: Error | null, result?: unknown) => void;

/** Standard output and standard error. */
const OUTPUTS: readonly number[] = [1, 2];
const FIRST_DESCRIPTOR = 10;
/** Mode bits: a regular readable file, a folder, a terminal. */
const MODE = { file: 0o100_444, folder: 0o040_555, terminal: 0o020_666 } as const;

/** As in Node's `fs.constants` on Linux. */
export const CONSTANTS = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1_024, O_DIRECTORY: 65_536 };

/** Calls of Go's `syscall` that are not supported. */
const REFUSED = [
  'chmod',
  'chown',
  'fchmod',
  'fchown',
  'ftruncate',
  'lchown',
  'link',
  'mkdir',
  'readlink',
  'rename',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'utimes',
] as const;

interface OpenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  position: number;
}

/** The inputs of the file system. */
export interface FilesSite {
  /** Contents by absolute path. Only standard output can be written. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Called with everything that is written to standard output (1) and standard error (2). */
  readonly onOutput: (descriptor: number, bytes: Uint8Array) => void;
}

/** A function of the file system; its last argument is a callback. */
export type FileFunction = (...given: unknown[]) => void;

/** The open files of a program, as data. */
export interface OpenFiles {
  readonly open: readonly { readonly descriptor: number; readonly path: string; readonly position: number }[];
  readonly nextDescriptor: number;
}

/** A program's file system. */
export interface Files {
  readonly functions: Readonly<Record<string, FileFunction>>;
  image(): OpenFiles;
  restore(image: OpenFiles): void;
}

/**
 * Node's `fs`, as far as Go's `syscall` package for js uses it (fs_js.go): the last argument of each function is a callback, which
 * gets an error with a `code` of errno's, or a result. It is called synchronously.
 */
export function createFiles({ files, onOutput }: FilesSite): Files {
  const open = new Map<number, OpenFile>();
  let nextDescriptor = FIRST_DESCRIPTOR;
  const answer = (callback: Callback, work: () => unknown): void => {
    let result: unknown;
    try {
      result = work();
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null, result);
  };
  const opened = (descriptor: number): OpenFile => {
    const file = open.get(descriptor);
    if (file === undefined) throw failure('EBADF');
    return file;
  };
  const isFolder = (path: string): boolean => [...files.keys()].some((name) => name.startsWith(path.endsWith('/') ? path : `${path}/`));
  const statusOf = (path: string): object => {
    const bytes = files.get(path);
    if (bytes !== undefined) return status(MODE.file, bytes.length);
    if (isFolder(path)) return status(MODE.folder, 0);
    throw failure('ENOENT');
  };
  const functions = {
    ...Object.fromEntries(REFUSED.map((name) => [name, (...given: unknown[]) => answer(given.at(-1) as Callback, refuse)])),
    write: (descriptor: number, bytes: Uint8Array, offset: number, length: number, _position: unknown, callback: Callback) =>
      answer(callback, () => {
        if (!OUTPUTS.includes(descriptor)) throw failure('EBADF');
        onOutput(descriptor, bytes.slice(offset, offset + length));
        return length;
      }),
    open: (path: string, flags: number, _mode: number, callback: Callback) =>
      answer(callback, () => {
        if ((flags & (CONSTANTS.O_WRONLY | CONSTANTS.O_RDWR)) !== 0) throw failure('EROFS');
        const bytes = files.get(path);
        if (bytes === undefined && !isFolder(path)) throw failure('ENOENT');
        const descriptor = nextDescriptor;
        nextDescriptor += 1;
        open.set(descriptor, { path, bytes: bytes ?? new Uint8Array(), position: 0 });
        return descriptor;
      }),
    close: (descriptor: number, callback: Callback) => answer(callback, () => void open.delete(descriptor)),
    stat: (path: string, callback: Callback) => answer(callback, () => statusOf(path)),
    lstat: (path: string, callback: Callback) => answer(callback, () => statusOf(path)),
    fstat: (descriptor: number, callback: Callback) =>
      answer(callback, () => (descriptor < FIRST_DESCRIPTOR ? status(MODE.terminal, 0) : statusOf(opened(descriptor).path))),
    readdir: (path: string, callback: Callback) =>
      answer(callback, () => {
        const inside = `${path === '/' ? '' : path}/`;
        const names = [...files.keys()].filter((name) => name.startsWith(inside)).map((name) => name.slice(inside.length).split('/')[0]);
        return [...new Set(names)].sort();
      }),
    read: (descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number | null, callback: Callback) =>
      answer(callback, () => {
        if (descriptor < FIRST_DESCRIPTOR) return 0;
        const file = opened(descriptor);
        const part = file.bytes.subarray(position ?? file.position, (position ?? file.position) + length);
        buffer.set(part, offset);
        if (position === null) file.position += part.length;
        return part.length;
      }),
    fsync: (_descriptor: number, callback: Callback) => answer(callback, () => undefined),
  };
  return {
    functions: functions as unknown as Files['functions'],
    image: () => ({ open: [...open].map(([descriptor, { path, position }]) => ({ descriptor, path, position })), nextDescriptor }),
    restore: (image) => {
      for (const { descriptor, path, position } of image.open)
        open.set(descriptor, { path, bytes: files.get(path) ?? new Uint8Array(), position });
      nextDescriptor = image.nextDescriptor;
    },
  };
}

function refuse(): never {
  throw failure('EROFS');
}

/** In the form of Node's system errors: Go reads the code. */
function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The methods of `fs.Stats`: the same functions in every run, so that an image can name them. */
export const STATUS_FUNCTIONS = { isFolder: () => true, isNoFolder: () => false } as const;

/** In the form of `fs.Stats`. */
function status(mode: number, size: number): object {
  const numbers = { dev: 0, ino: 0, mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4_096, blocks: Math.ceil(size / 512) };
  return {
    ...numbers,
    atimeMs: 0,
    mtimeMs: 0,
    ctimeMs: 0,
    isDirectory: mode === MODE.folder ? STATUS_FUNCTIONS.isFolder : STATUS_FUNCTIONS.isNoFolder,
  };
}
