import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { faults } from '../faults/catalogue.ts';
import { Mistake, hint, placeOf, shortPath } from '../model/mistake.ts';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { ArtefactError } from '../targets/go/artefacts/cache.ts';
import type { Artefact } from '../targets/go/artefacts/cache.ts';
import { TargetFileError } from '../targets/command/target-file.ts';
import type { Target } from '../targets/target.ts';
import type { Scenario } from './scenario.ts';
import { checkSchema, scenarioSchema, shapeProblem, targetSchema } from './schemas.ts';
import { LoadError } from './load-error.ts';

/** Where a scenario or a target comes from: a module and the name of its export. Users' files are treated the same. */
export interface ModuleRef {
  /** URL of the module. */
  readonly module: string;
  readonly export: string;
  /** For a scenario that is data, such as JSON: the export is a function that makes the scenario of it. */
  readonly input?: unknown;
}

/**
 * A target: one of the catalogue by its name, two of them in one cluster as `A+B`, an upgrade as `A..B`, a module's export, or the URL
 * of a YAML file that describes a program. `artefact`: which built program to run, by its folder name in the cache; the newest by default.
 */
export type TargetRef =
  { readonly name: string; readonly artefact?: string } | ModuleRef | { readonly file: string; readonly artefact?: string };

/** @throws LoadError when the module fails to load, or exports no valid scenario under that name */
export async function loadScenario(ref: ModuleRef): Promise<Scenario> {
  const value = await loadExport(ref);
  return asScenario(ref, ref.input === undefined ? value : (value as (input: unknown) => unknown)(ref.input));
}

/** SHA-256 of a scenario's source: its module, or the data that it is made of, in hexadecimal digits. */
export async function scenarioDigestOf({ module, input }: ModuleRef): Promise<string> {
  return input === undefined ? digestOf(module) : createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

/** @throws LoadError when there is no such target, or it is invalid */
export async function loadTarget(ref: TargetRef): Promise<Target> {
  if ('name' in ref) return loadNamed(ref.name, ref.artefact);
  if ('file' in ref) return loadProgram(ref.file, ref.artefact);
  const value = await loadExport(ref);
  const problem = shapeProblem(targetSchema, value);
  if (problem !== undefined) throw new LoadError(`${shownPath(ref.module)}: export "${ref.export}" is not a valid target: ${problem}`);
  return value as Target;
}

/**
 * Every scenario that a user's module exports, in the order of the export names; other exports are ignored.
 * @throws LoadError when there is none, or one is invalid
 */
export async function scenariosOf(moduleUrl: string): Promise<{ ref: ModuleRef; scenario: Scenario }[]> {
  const exports = await importModule(moduleUrl);
  const found = Object.keys(exports)
    .sort()
    .flatMap((name) => {
      const ref = { module: moduleUrl, export: name };
      return isMeantAsScenario(exports[name]) ? [{ ref, scenario: asScenario(ref, exports[name]) }] : [];
    });
  if (found.length === 0) {
    const line = await lineWith(moduleUrl, /\bscenario\(/);
    const where = `${shownPath(moduleUrl)}${line === undefined ? '' : `:${line}`}`;
    const what = line === undefined ? 'export one made with' : 'put `export const NAME = ` before';
    throw new LoadError(`${where} exports no scenario; ${what} scenario({ id, title, run })`);
  }
  return found;
}

/** The number of the first line that matches, from 1; undefined without one. */
async function lineWith(moduleUrl: string, pattern: RegExp): Promise<number | undefined> {
  if (!moduleUrl.startsWith('file:')) return undefined;
  const lines = (await readFile(fileURLToPath(moduleUrl), 'utf8')).split('\n');
  const index = lines.findIndex((line) => pattern.test(line) && !/^\s*(import|\/\/|\*)/.test(line));
  return index === -1 ? undefined : index + 1;
}

/**
 * Every check that a user's module exports; other exports are ignored.
 * @throws LoadError when there is none, one is invalid, or has the name of a bundled one
 */
export async function checksOf(moduleUrl: string): Promise<Check[]> {
  const exports = Object.entries(await importModule(moduleUrl));
  const found = exports.filter(([, value]) => typeof value === 'object' && value !== null && 'judge' in value);
  if (found.length === 0) throw new LoadError(`${shownPath(moduleUrl)} exports no check; export { name, summary, codes, judge }`);
  return found.map(([name, value]) => {
    const check = value as Check;
    const isTaken = checkCatalogue.some((bundled) => bundled.name === check.name);
    const problem = shapeProblem(checkSchema, value) ?? (isTaken ? `name ${check.name} is taken by a bundled check` : undefined);
    if (problem !== undefined) throw new LoadError(`${shownPath(moduleUrl)}: export "${name}" is not a valid check: ${problem}`);
    return check;
  });
}

/** The parameter of a module's URL that names the directory of its sources. */
export const SOURCES_DIRECTORY = 'dir';

/**
 * SHA-256 of a file, in hexadecimal digits. If the URL's query tells a module which files to read, the module exports their
 * paths as `sources`, and they are part of the digest. So is the query, except for their directory: it decides what the module
 * makes of them.
 */
export async function digestOf(url: string): Promise<string> {
  const hash = createHash('sha256');
  const { search, searchParams } = new URL(url);
  const sources = search === '' ? [] : z.array(z.string()).parse((await importModule(url))['sources'] ?? []);
  for (const path of [fileURLToPath(url), ...sources]) hash.update(await readFile(path));
  searchParams.delete(SOURCES_DIRECTORY);
  return hash.update(searchParams.toString()).digest('hex');
}

/**
 * SHA-256 of a target's source: its file, or the compiled program that it runs, or both of their digests. Undefined for a
 * target bundled with Scaleproof, and for a program that has not been built.
 */
export async function targetDigestOf(ref: TargetRef): Promise<string | undefined> {
  const program = (await artefactOf(ref))?.manifest.wasm.sha256;
  if ('name' in ref) return program;
  const file = await digestOf('file' in ref ? ref.file : ref.module);
  return program === undefined ? file : createHash('sha256').update(file).update(program).digest('hex');
}

/** The compiled program that a target runs; undefined for a target without one, and for one that has not been built. */
export async function artefactOf(ref: TargetRef): Promise<Artefact | undefined> {
  const { program } = await loadTarget(ref);
  try {
    return program?.artefact();
  } catch (error) {
    if (error instanceof ArtefactError) return undefined;
    throw error;
  }
}

/** The bundled autoscalers are read only if one of them is named: they are more code than all the rest of a trial. */
async function loadNamed(name: string, artefact: string | undefined): Promise<Target> {
  const { UnknownTargetError, targetNamed } = await import('../targets/catalogue.ts');
  try {
    return targetNamed(name, artefact);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new LoadError(error instanceof UnknownTargetError ? `${message}; \`scaleproof list targets\` shows them` : message);
  }
}

async function loadProgram(url: string, artefact: string | undefined): Promise<Target> {
  const { readCommandTarget } = await import('../targets/command/command-target.ts');
  try {
    return await readCommandTarget(fileURLToPath(url), artefact);
  } catch (error) {
    throw error instanceof TargetFileError ? new LoadError(error.message) : error;
  }
}

/** One export of a module, of any type. @throws LoadError when the module fails to load, or does not have it */
export async function loadExport(ref: ModuleRef): Promise<unknown> {
  const exports = await importModule(ref.module);
  if (!(ref.export in exports)) {
    throw new LoadError(`${shownPath(ref.module)} exports no "${ref.export}"; it exports: ${Object.keys(exports).join(', ') || 'nothing'}`);
  }
  return exports[ref.export];
}

async function importModule(moduleUrl: string): Promise<Record<string, unknown>> {
  try {
    return (await import(moduleUrl)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof LoadError) throw error;
    if (error instanceof Mistake) throw new LoadError(error.message);
    const line = lineOf(error, moduleUrl);
    // Another module of the user's may have thrown.
    const place = line === '' && error instanceof Error ? placeOf(error) : undefined;
    const where = place === undefined ? '' : ` (at ${place})`;
    throw new LoadError(`${shownPath(moduleUrl)}${line} can't be loaded: ${reasonOf(error)}${where}`);
  }
}

/** `:LINE` if the error was thrown in the module itself. */
function lineOf(error: unknown, moduleUrl: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack.split('\n').flatMap((line) => /^:\d+/.exec(line.split(moduleUrl)[1] ?? '') ?? [])[0] ?? '';
}

const NOT_STRIPPED = ['strip-only mode', 'Cannot find package', 'Cannot find module'];
const STRIPPED = 'Node runs such files and only strips their types: no enums, no path aliases, and imports with their file extension';

/** The first line of the message, with a hint for a file outside every project that has this package installed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [reason = ''] = `${error.name}: ${error.message}`.split('\n');
  const [, fault] = /\bfaults\.(\w+) is not a function/.exec(reason) ?? [];
  if (fault !== undefined) return `${reason}${hint(fault, Object.keys(faults))}`;
  if (reason.includes("Cannot find package 'scaleproof'")) return `${reason}; install scaleproof in the project of that file`;
  return NOT_STRIPPED.some((part) => reason.includes(part)) ? `${reason}; ${STRIPPED}` : reason;
}

function shownPath(moduleUrl: string): string {
  return moduleUrl.startsWith('file:') ? shortPath(moduleUrl) : moduleUrl;
}

function asScenario(ref: ModuleRef, value: unknown): Scenario {
  const problem = shapeProblem(scenarioSchema, value);
  if (problem !== undefined) {
    const what = `${shownPath(ref.module)}: export "${ref.export}" is not a valid scenario: ${problem}`;
    throw new LoadError(`${what}; create it with scenario({ id, title, run })`);
  }
  return value as Scenario;
}

function isMeantAsScenario(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('run' in value || ('id' in value && 'title' in value));
}
