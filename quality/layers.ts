import { posix } from 'node:path';
import ts from 'typescript';

/** What one folder, or one file at the root, may import besides itself and what is in it, and why no more. */
interface Layer {
  /** Folders, single files of a folder (`wire/wire.ts`), or everything. */
  readonly may: readonly string[] | 'everything';
  readonly why: string;
}

/** The house: a row may name what stands above it, and nothing below. A folder in a folder may have a row of its own, which then counts for it alone. */
export const layers: Readonly<Record<string, Layer>> = {
  runtime: { may: [], why: 'time, chance and concurrency have one source, and it needs nothing' },
  model: { may: ['runtime'], why: "it is the field's nouns as data" },
  history: { may: ['runtime', 'model'], why: 'a history can be read without anything that made it' },
  protocols: { may: ['model'], why: 'a wire format is a pure function of bytes' },
  wire: { may: ['runtime', 'model', 'history', 'protocols'], why: 'a wire records what crosses it and knows neither end' },
  clients: { may: ['runtime', 'model', 'protocols', 'wire/wire.ts'], why: 'a client works over any wire, so it knows only its type' },
  controller: {
    may: ['runtime', 'model', 'clients', 'wire/wire.ts', 'wire/http-wire.ts'],
    why: 'the reference autoscaler never knows the world',
  },
  world: { may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients'], why: 'a world never knows which autoscaler it is given' },
  faults: {
    may: ['runtime', 'model', 'history', 'world/ports.ts', 'wire/effects.ts', 'wire/wire.ts'],
    why: 'a fault is an effect on a wire or a call on a port of the world, and works in every world that has the port',
  },
  checks: { may: ['model', 'history'], why: 'a check is a pure function of the run directory' },
  targets: {
    may: ['runtime', 'model', 'history', 'clients', 'controller', 'wire/wire.ts', 'wire/http-wire.ts'],
    why: 'a target has two wires and nothing else of the world',
  },
  'targets/plain': {
    may: ['runtime', 'model', 'clients'],
    why: 'it is the second opinion: an autoscaler that shares no decision with the reference',
  },
  fidelity: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients', 'world', 'checks'],
    why: 'it compares what is emulated with real parts, and nothing that runs needs that',
  },
  harness: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients', 'world', 'faults', 'checks', 'targets'],
    why: 'it joins scenario, target and world, and is joined by none of them; only a target knows the reference autoscaler',
  },
  'index.ts': {
    may: ['model', 'history', 'world', 'faults', 'checks', 'targets', 'harness'],
    why: 'it is what users import: no more than they need',
  },
  suites: {
    may: ['model', 'history', 'faults', 'checks', 'targets', 'harness'],
    why: 'a scenario never knows in which world it runs',
  },
  manifests: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire/wire.ts', 'world', 'faults', 'targets', 'harness'],
    why: "it makes scenarios of a user's own objects, which the world's API server checks beforehand",
  },
  gate: { may: ['runtime', 'model', 'history'], why: 'a gate judges verdicts, wherever they were made' },
  reports: { may: ['model', 'history'], why: 'a report is a pure function of verdicts and histories' },
  cli: { may: 'everything', why: 'the command joins all parts' },
  playwright: {
    may: [
      'runtime',
      'model',
      'history',
      'harness',
      'reports',
      'cli/choose.ts',
      'cli/console.ts',
      'cli/prepare-targets.ts',
      'cli/report-trial.ts',
      'cli/run-directory.ts',
      'cli/run-facts.ts',
      'cli/write-reports.ts',
    ],
    why: 'it runs trials as the command does, and takes from it what names them, plans them and writes them down',
  },
  bench: { may: 'everything', why: 'a benchmark measures any part' },
  kits: { may: 'everything', why: 'its tests look at what the command writes' },
  quality: { may: 'everything', why: 'the quality tests look at any part' },
  docs: { may: [], why: "examples import 'scaleproof', as users do" },
  fixtures: { may: [], why: "examples import 'scaleproof', as users do" },
  'playwright.config.ts': { may: [], why: "it is the runner's configuration" },
};

/** A package that stands for an outside, and who may import it; the packages that have no row are free for all. */
interface PackageRule {
  /** Its name, or the scope of several. */
  readonly name: string;
  readonly in: readonly string[];
  /** Who may import its types only. */
  readonly typesIn?: readonly string[];
  readonly why: string;
}

export const packages: readonly PackageRule[] = [
  {
    name: '@aws-sdk',
    in: ['clients', 'protocols', 'world', 'fidelity', 'controller/main.ts'],
    typesIn: ['controller', 'targets'],
    why: 'calls go through clients/, which sleeps on the clock; the codecs read the schemas of the SDK',
  },
  { name: '@smithy', in: ['clients', 'protocols', 'world'], why: 'half internal to the SDK: few places to mend when it changes' },
  { name: '@kubernetes/client-node', in: ['clients'], why: 'its watch and informers use timers of their own' },
  {
    name: '@playwright/test',
    in: ['playwright', 'playwright.config.ts', 'quality', 'fixtures/examples/playwright/playwright.config.ts'],
    why: 'only tests know the test runner, and what users write their tests with: it need not be installed for anything else',
  },
  { name: 'commander', in: ['cli'], why: 'options and arguments are the business of the command' },
  { name: 'scaleproof', in: ['docs', 'fixtures'], why: 'that name is for users; inside, import the file' },
];

/** One import statement or expression. */
export interface Import {
  /** Path from the root for a file of ours, else the name of a package. */
  readonly name: string;
  readonly isType: boolean;
}

/** What a file imports, statically or dynamically. @param file its path from the root */
export function importsOf(file: string, text: string): Import[] {
  const namesIn = (code: string): string[] => ts.preProcessFile(code).importedFiles.map(({ fileName }) => fileName);
  // preProcessFile doesn't tell types from values, so look again without the type imports.
  const values = new Set(namesIn(text.replace(/^(import|export) type [^;]*;/gm, '')));
  return namesIn(text).map((name) => ({
    name: name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
    isType: !values.has(name),
  }));
}

/**
 * Judges a file's imports.
 * @param file its path from the root
 * @returns a sentence for each import that the house refuses: which, why, and how to mend it
 */
export function breachesOf(file: string, imports: readonly Import[]): string[] {
  const folder = rowOf(file);
  const layer = layers[folder];
  if (layer === undefined)
    return [`${file}: the house has no ${folder}. Give it a row in quality/layers.ts that says what it may import and why.`];
  if (isTest(file)) return [];
  return imports.flatMap(({ name, isType }) => {
    if (name.endsWith('.ts')) {
      const { may, why } = layer;
      if (may === 'everything' || name === folder || name.startsWith(`${folder}/`) || isIn(may, name)) return [];
      const allowed = may.length === 0 ? 'nothing else of the house' : `only ${may.join(', ')}`;
      return [
        `${file} imports ${name}, but ${folder} may import ${allowed}: ${why}. ` +
          `Move what both need to a folder that both may import, or have it passed in.`,
      ];
    }
    const rule = packages.find((candidate) => name === candidate.name || name.startsWith(`${candidate.name}/`));
    if (rule === undefined || isIn(rule.in, file) || (isType && isIn(rule.typesIn ?? [], file))) return [];
    return [`${file} imports ${name}, but only ${rule.in.join(', ')} may: ${rule.why}. Import what one of them offers, or extend it.`];
  });
}

/** The row that counts for a file: that of the folder of a folder if there is one, else that of its first folder. */
function rowOf(path: string): string {
  const inner = path.split('/').slice(0, 2).join('/');
  return inner !== path && inner in layers ? inner : folderOf(path);
}

/** The first folder of a path, or the file itself at the root. */
function folderOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function isIn(places: readonly string[], path: string): boolean {
  return places.includes(folderOf(path)) || places.includes(path);
}

/** Tests and what only they share (`testing/`) may import what they exercise. */
export function isTest(file: string): boolean {
  return /\.(test|spec)\.ts$/.test(file) || file.includes('/testing/');
}
