import { accessSync, constants as access, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { RESOURCES } from '../../clients/resources.ts';
import { ProgramError } from '../target.ts';
import type { ProcessUsage, Target, TargetProcess, TargetSite } from '../target.ts';
import { externalTarget } from './external-target.ts';
import { hostEnvironment, openProgramSockets } from './environment.ts';
import { goTarget } from './go-target.ts';
import { clusterAutoscalerTargetOf, karpenterTargetOf } from './version-file.ts';
import { readManifests } from './manifest-files.ts';
import { commandPools, poolsAs } from './pools.ts';
import { levelOf } from './lines.ts';
import type { Operations } from './pools.ts';
import { withRights } from './rights.ts';
import { freePorts } from './ports.ts';
import { startProgram } from './program.ts';
import type { Program } from './program.ts';
import { untilReady } from './ready.ts';
import { TargetFileError, constantsOf, isKarpenters, isOfClusterAutoscaler, isOfVersion, parseTargetFile } from './target-file.ts';
import type { AnyTargetFile, TargetFile } from './target-file.ts';
import { NODE_VARIABLE, substitute, substituteAll } from './variables.ts';

/**
 * Reads a target's file: any program as a target, in real time, or compiled from Go in virtual time.
 * @param pinned the artefact's folder name, for a program compiled from Go; by default the newest
 * @throws TargetFileError when the file is invalid, or its program does not exist
 */
export async function readCommandTarget(path: string, pinned?: string): Promise<Target> {
  const file = parseTargetFile(path, await readFile(path, 'utf8'));
  return withRights(path, file, targetOf(path, file, pinned));
}

function targetOf(path: string, file: AnyTargetFile, pinned: string | undefined): Target {
  const folder = dirname(path);
  if (isOfVersion(file))
    return isOfClusterAutoscaler(file) ? clusterAutoscalerTargetOf(path, file, pinned) : karpenterTargetOf(path, file, pinned);
  if (file.features.includes('node-classes') && isKarpenters(file.pools) && file.pools.nodeClass === undefined)
    throw new TargetFileError(
      `${path}: the feature node-classes needs pools.nodeClass: every class gets its images, network and role; add it, or leave out the feature`,
    );
  const resources = file.resources ?? (isKarpenters(file.pools) ? [RESOURCES.nodeclaims.plural] : []);
  if ('go' in file) return goTarget(path, file, resources, pinned);
  if ('external' in file) {
    const locatePools = (field: string, command: readonly string[]): readonly string[] => locateProgram(path, field, folder, command);
    return externalTarget(file, resources, operationsOf(path, file, folder, locatePools));
  }
  const directory = resolve(folder, file.directory ?? '.');
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TargetFileError(`${path}: directory ${directory} does not exist`);
  }
  const locate = (field: string, command: readonly string[]): readonly string[] => locateProgram(path, field, folder, command);
  const command = locate('command', file.command);
  return {
    name: file.name,
    summary: `the program ${command.join(' ')}`,
    time: 'real',
    features: file.features,
    constants: constantsOf(file),
    resources,
    start: (site) => new ProgramRun({ environment: file.environment, ready: file.ready, command, directory }, site),
    ...operationsOf(path, file, directory, locate),
  };
}

function operationsOf(
  path: string,
  { pools, install }: Pick<TargetFile, 'pools' | 'install'>,
  directory: string,
  locate: (field: string, command: readonly string[]) => readonly string[],
): Operations {
  const manifests = install?.flatMap((name, index) => readManifests(path, `install.${index}`, name));
  if ('command' in pools) return commandPools(locate('pools.command', pools.command), directory, manifests);
  return poolsAs(path, pools, manifests);
}

/** Resolves the program by its path, or in PATH; the arguments stay as they are. */
function locateProgram(path: string, field: string, folder: string, [name = '', ...args]: readonly string[]): readonly string[] {
  if (name === `\${${NODE_VARIABLE}}`) return [process.execPath, ...args];
  const places = name.includes('/') ? [folder] : (process.env['PATH'] ?? '').split(delimiter).filter((place) => place !== '');
  const found = places.map((place) => resolve(place, name)).find(isExecutable);
  if (found !== undefined) return [found, ...args];
  throw new TargetFileError(`${path}: ${field} can't be run: ${whyNotFound(name, folder, places)}`);
}

/** Where it was searched. */
function whyNotFound(name: string, folder: string, places: readonly string[]): string {
  if (!name.includes('/')) {
    const isBeside = statSync(resolve(folder, name), { throwIfNoEntry: false })?.isFile() === true;
    const hint = isBeside ? `; to run the file next to this one, write ./${name}` : '';
    return `no program ${name} is in PATH (${places.join(delimiter)})${hint}`;
  }
  const place = resolve(folder, name);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return `there is no program ${place} (paths are relative to the folder of this file)`;
  return found.isFile() ? `${place} is not executable (run chmod +x)` : `${place} is not a file`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, access.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What a program is started with. */
type ProgramSpec = Pick<TargetFile, 'environment' | 'ready'> & { readonly command: readonly string[]; readonly directory: string };

/** One incarnation of a program. */
class ProgramRun implements TargetProcess {
  readonly ready: Promise<void>;
  readonly done: Promise<void>;
  readonly #spec: ProgramSpec;
  readonly #site: TargetSite;
  readonly #listeners = new Set<(line: string) => void>();
  readonly #started: Promise<Program>;
  #isKilled = false;
  /** Absent until it is started. */
  #program: Program | undefined;

  constructor(spec: ProgramSpec, site: TargetSite) {
    this.#spec = spec;
    this.#site = site;
    const environment = this.#prepare();
    this.#started = environment.then((values) => this.#start(values));
    this.ready = this.#untilReady(environment);
    this.done = this.#untilDone();
    // The caller only watches these as long as they matter.
    this.ready.catch(() => undefined);
  }

  usage(): ProcessUsage | undefined {
    return this.#program?.usage();
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    const program = await this.#started.catch(() => undefined);
    await program?.kill();
  }

  /** Creates the program's own folder, its sockets and ports. */
  async #prepare(): Promise<Readonly<Record<string, string>>> {
    const folder = await mkdtemp(join(tmpdir(), 'scaleproof-target-'));
    try {
      const sockets = await openProgramSockets(this.#site, folder);
      return { ...hostEnvironment(folder), ...sockets, ...(await freePorts()), [NODE_VARIABLE]: process.execPath };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async #start(values: Readonly<Record<string, string>>): Promise<Program> {
    const { clock, signal } = this.#site.runtime;
    const folder = values['HOME'] ?? '';
    if (this.#isKilled || signal.aborted) {
      await rm(folder, { recursive: true, force: true });
      throw new ProgramError('it was stopped before it was started');
    }
    const { [NODE_VARIABLE]: _node, ...given } = values;
    const program = startProgram(
      {
        command: this.#spec.command.map((part) => substitute(part, values)),
        directory: this.#spec.directory,
        environment: { ...given, ...substituteAll(this.#spec.environment, values) },
        folder,
      },
      clock,
      (line) => this.#hear(line),
    );
    signal.addEventListener('abort', () => program.stop(), { once: true });
    this.#program = program;
    return program;
  }

  #hear(line: string): void {
    this.#site.runtime.log(levelOf(line), line);
    for (const listener of this.#listeners) listener(line);
  }

  async #untilReady(environment: Promise<Readonly<Record<string, string>>>): Promise<void> {
    const said = (text: string): Promise<void> =>
      new Promise((resolve) => {
        this.#listeners.add((line) => {
          if (line.includes(text)) resolve();
        });
      });
    const probe = substituteAll(this.#spec.ready, await environment);
    try {
      await untilReady(probe, { clock: this.#site.runtime.clock, said });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      throw new ProgramError(`${error.message}; ${quote((await this.#started).lastWords())}`);
    }
  }

  async #untilDone(): Promise<void> {
    const program = await this.#started;
    const code = await program.ended;
    if (this.#site.runtime.signal.aborted) return;
    throw new ProgramError(`it exited with code ${code}; ${quote(program.lastWords())}`);
  }
}

function quote(words: string): string {
  return words === '' ? 'it wrote nothing' : `its last output: ${words}`;
}
