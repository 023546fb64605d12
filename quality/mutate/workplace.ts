import { copyFileSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModuleRef } from '../../harness/load.ts';
import { importsOf } from '../layers.ts';
import { root } from '../sources.ts';
import type { Mutant, Source } from './draw.ts';
import { instrument } from './instrument.ts';

/** The module through which a target uses the controller. */
const ENTRY = 'targets/reference.ts';

/** What an operator reads beside the cluster: neither wire carries it. */
const UNSEEN = new Set(['controller/gauges.ts', 'controller/metrics.ts', 'controller/core/metrics.ts']);

/** The controller's files that a trial loads, and in which a fault can be seen: sorted by path. */
export function mutableSources(): Source[] {
  const texts = new Map<string, string>();
  const visit = (file: string): void => {
    if (texts.has(file)) return;
    const text = readFileSync(join(root, file), 'utf8');
    texts.set(file, text);
    for (const { name, isType } of importsOf(file, text)) if (!isType && name.startsWith('controller/')) visit(name);
  };
  visit(ENTRY);
  return [...texts]
    .filter(([file]) => file !== ENTRY && !UNSEEN.has(file))
    .map(([file, text]) => ({ file, text }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/**
 * Writes a copy of the controller with all mutants, and a target that starts it. Everything else that it imports is the project's own, by
 * links: both have the same classes. What the operator knows and does is the unchanged target's: a controller with a changed
 * period still promises the one that it is documented with.
 * @param folder an empty one
 */
export function writeWorkplace(folder: string, mutants: readonly Mutant[]): ModuleRef {
  link('', folder, (name) => !['controller', 'model', 'targets'].includes(name) && !name.startsWith('.'));
  mkdirSync(join(folder, 'model'));
  link('model', folder, (name) => name !== 'of-frozen.ts');
  writeFileSync(join(folder, 'model/of-frozen.ts'), ofFrozenModule());
  for (const file of readdirSync(join(root, 'controller'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) writeMutable(folder, `controller/${file.replaceAll('\\', '/')}`, mutants);
  }
  mkdirSync(join(folder, 'targets'));
  copyFileSync(join(root, ENTRY), join(folder, ENTRY));
  writeFileSync(join(folder, 'targets/switch.ts'), switchModule());
  const target = join(folder, 'targets/mutated.ts');
  writeFileSync(target, targetModule());
  return { module: pathToFileURL(target).href, export: 'mutated' };
}

/** Links what is in a folder of the project. */
function link(from: string, folder: string, isLinked: (name: string) => boolean): void {
  for (const name of readdirSync(join(root, from)).filter(isLinked)) symlinkSync(join(root, from, name), join(folder, from, name));
}

function writeMutable(folder: string, file: string, mutants: readonly Mutant[]): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  const own = mutants.filter((mutant) => mutant.file === file);
  const text = readFileSync(join(root, file), 'utf8');
  writeFileSync(path, instrument(text, own, posix.relative(posix.dirname(file), 'targets/switch.ts')));
}

function urlOf(file: string): string {
  return pathToFileURL(join(root, file)).href;
}

function switchModule(): string {
  return `import { createSwitch } from '${urlOf('quality/mutate/switch.ts')}';
export const { isActive, beginTrial } = createSwitch(process.env);
`;
}

function targetModule(): string {
  return `import { reference } from '${urlOf(ENTRY)}';
import { reference as changed } from './reference.ts';
import { beginTrial } from './switch.ts';
const install = (site) => { beginTrial(); return changed.install(site); };
export const mutated = { ...reference, install, start: changed.start };
`;
}

/** Nothing is kept between trials while executed mutants are noted: what one trial had computed, the next would not execute. */
function ofFrozenModule(): string {
  return `import * as own from '${urlOf('model/of-frozen.ts')}';
import { EXECUTED } from '${urlOf('quality/mutate/switch.ts')}';
const isKept = process.env[EXECUTED] === undefined;
export const keptIfFrozen = isKept ? own.keptIfFrozen : (_kept, _object, make) => make();
export const ofFrozen = isKept ? own.ofFrozen : (make) => make;
`;
}
