import { lstatSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { nearest } from '../../model/nearest.ts';
import { KITS } from '../init/kits.ts';
import type { Kit, Settings } from '../init/kits.ts';
import { renderKit } from '../init/render.ts';
import { bundledWarning, checkSettings, titleOf } from '../init/settings.ts';
import type { Console } from '../console.ts';
import { makeFolders } from '../../model/make-folders.ts';
import { EXIT, UsageError } from '../usage-error.ts';

export interface InitOptions {
  /** The output folder; by default the kit's own. */
  readonly out: string | undefined;
  /** What the files are about. */
  readonly given: Settings;
  /** Overwrite existing files. */
  readonly force: boolean;
  readonly json: boolean;
}

/**
 * `scaleproof init KIT`: writes the manifests, or the starting project, that integrate Scaleproof with another system, and says
 * what to do next. If a file exists already, nothing is written, unless `--force` is given.
 * @throws UsageError for an unknown kit, for settings that it lacks or has no use for, and for existing files
 */
export function init(name: string | undefined, { out, given, force, json }: InitOptions, console: Console): number {
  const kit = kitOf(name);
  checkSettings(kit, given);
  const folder = out ?? kit.out;
  const files = renderKit(kit, given).map(({ to, text }) => ({ path: join(folder, to), text }));
  const blocked = files.map(({ path }) => path).filter(exists);
  if (blocked.length > 0 && !force)
    throw new UsageError(
      `${blocked.join(', ')} ${blocked.length === 1 ? 'already exists' : 'already exist'}, and nothing was written; ` +
        'name another directory with --out, or replace with --force',
    );
  for (const { path, text } of files) write(path, text, force);
  const written = files.map(({ path }) => path);
  const warning = bundledWarning(given);
  if (warning !== undefined) console.err(`warning: ${warning}\n`);
  if (json)
    console.out(`${JSON.stringify({ kit: kit.name, ...given, files: written, next: kit.next, ...defined({ warning }) }, undefined, 2)}\n`);
  else console.out(inWords(kit, given, written));
  return EXIT.pass;
}

function kitOf(name: string | undefined): Kit {
  const names = KITS.map((kit) => kit.name);
  const kit = KITS.find((one) => one.name === name);
  if (kit !== undefined) return kit;
  if (name === undefined) throw new UsageError(`say what to write: ${names.join(', ')}`);
  const meant = nearest(name, names);
  throw new UsageError(`init has no "${name}"; ${meant === undefined ? '' : `did you mean ${meant}? `}There are: ${names.join(', ')}`);
}

/** True for a broken link, too: writing through it would create a file somewhere else. */
function exists(path: string): boolean {
  return orRefuse(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

function write(path: string, text: string, force: boolean): void {
  orRefuse(path, () => {
    makeFolders(dirname(path));
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' });
  });
}

/** Reports errors of the file system as usage errors. */
function orRefuse<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError(`${path} can't be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function inWords(kit: Kit, given: Settings, written: readonly string[]): string {
  const tested = given.target === undefined ? [] : [`tests ${titleOf(given)}`];
  return [
    ...written.map((path) => `wrote ${path}`),
    ...tested,
    '',
    'Next:',
    ...kit.next.map((text, index) => `${index + 1}. ${text}`),
    '',
  ].join('\n');
}
