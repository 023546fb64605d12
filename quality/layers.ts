import { posix } from 'node:path';
import ts from 'typescript';

/** What a folder, or a file at the root, may import besides its own files, and the reason. */
interface Layer {
  /** Folders, single files of a folder (`wire/wire.ts`), or everything. */
  readonly may: readonly string[] | 'everything';
  readonly why: string;
}

/** The layers: one may only name layers above it. A nested folder may have its own row, which then replaces that of its parent. */
export const layers: Readonly<Record<string, Layer>> = {
  runtime: { may: [], why: 'it is the only source of time, randomness and concurrency, and needs nothing else' },
  model: { may: ['runtime'], why: 'it has the data types of the domain' },
  history: { may: ['runtime', 'model'], why: 'a history can be read without the code that recorded it' },
  protocols: { may: ['model'], why: 'a wire format is a pure function of bytes' },
  wire: { may: ['runtime', 'model', 'history', 'protocols'], why: 'a wire records its traffic and knows neither end' },
  clients: { may: ['runtime', 'model', 'protocols', 'wire/wire.ts'], why: 'a client works over any wire, so it knows only its type' },
  controller: {
    may: ['runtime', 'model', 'clients', 'wire/wire.ts', 'wire/http-wire.ts'],
    why: 'the reference autoscaler must not depend on the world',
  },
  world: { may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients'], why: 'a world must not depend on an autoscaler' },
  faults: {
    may: ['runtime', 'model', 'history', 'world/ports.ts', 'wire/effects.ts', 'wire/wire.ts'],
    why: 'a fault is an effect on a wire or a call on a port of the world, and works in every world that has the port',
  },
  checks: { may: ['model', 'history'], why: 'a check is a pure function of the run directory' },
  targets: {
    may: ['runtime', 'model', 'history', 'clients', 'controller', 'wire/wire.ts', 'wire/http-wire.ts'],
    why: 'a target gets two wires and nothing else of the world',
  },
  'targets/plain': {
    may: ['runtime', 'model', 'clients'],
    why: 'it is a second implementation, which shares no decisions with the reference',
  },
  fidelity: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients', 'world', 'checks', 'targets'],
    why: 'it compares emulated with real components, and no trial needs it',
  },
  harness: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire', 'clients', 'world', 'faults', 'checks', 'targets'],
    why: 'it connects scenario, target and world, and none of them depends on it; only a target knows the reference autoscaler',
  },
  'index.ts': {
    may: ['model', 'history', 'world', 'faults', 'checks', 'targets', 'harness'],
    why: 'users import it, so it has no more than they need',
  },
  suites: {
    may: ['model', 'history', 'faults', 'checks', 'targets', 'harness'],
    why: 'a scenario must not depend on a kind of world',
  },
  manifests: {
    may: ['runtime', 'model', 'history', 'protocols', 'wire/wire.ts', 'world', 'faults', 'targets', 'harness'],
    why: "it creates scenarios from a user's own objects, which the world's API server validates first",
  },
  explore: {
    may: ['runtime', 'model', 'history', 'wire/effects.ts', 'faults', 'targets', 'harness', 'manifests'],
    why: 'it searches with generated scenarios; what is owed to them is what manifests/ works out, and no autoscaler decides it',
  },
  gate: { may: ['runtime', 'model', 'history'], why: 'a gate judges verdicts, whatever produced them' },
  reports: {
    may: ['model', 'history', 'gate/verdict.ts', 'gate/outcome.ts', 'gate/evidence.ts'],
    why: 'a report is a pure function of verdicts and histories, and of the decision of a gate',
  },
  cli: { may: 'everything', why: 'the command connects all parts' },
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
    why: 'it runs trials as the command does, and shares its code for choosing, planning and recording them',
  },
  bench: { may: 'everything', why: 'a benchmark measures any part' },
  kits: { may: 'everything', why: 'its tests check the files that the command writes' },
  quality: { may: 'everything', why: 'the quality tests check any part' },
  docs: { may: [], why: "examples import 'scaleproof', as users do" },
  fixtures: { may: [], why: "examples import 'scaleproof', as users do" },
  'playwright.config.ts': { may: [], why: "it is the runner's configuration" },
};

/** A package with restricted use, and the folders that may import it. Packages without a rule may be imported anywhere. */
interface PackageRule {
  /** Name of a package, or a scope. */
  readonly name: string;
  readonly in: readonly string[];
  /** Folders that may import only its types. */
  readonly typesIn?: readonly string[];
  readonly why: string;
}

export const packages: readonly PackageRule[] = [
  {
    name: '@aws-sdk',
    in: ['clients', 'protocols', 'world', 'fidelity', 'controller/main.ts'],
    typesIn: ['controller', 'targets'],
    why: 'calls go through clients/, which waits on the clock; the codecs read the schemas of the SDK',
  },
  {
    name: '@smithy',
    in: ['clients', 'protocols', 'world'],
    why: 'it is partly internal to the SDK: few places should need a fix when it changes',
  },
  { name: '@kubernetes/client-node', in: ['clients'], why: 'its watch and informers use timers of their own' },
  {
    name: '@playwright/test',
    in: ['playwright', 'playwright.config.ts', 'quality', 'fixtures/examples/playwright/playwright.config.ts'],
    why: 'only tests and the Playwright fixtures use it, so that nothing else needs it installed',
  },
  { name: 'undici', in: ['wire'], why: 'requests go over a wire, which records them and has no time-outs of its own' },
  { name: 'commander', in: ['cli'], why: 'only the command parses options and arguments' },
  { name: 'scaleproof', in: ['docs', 'fixtures'], why: 'that name is for users; inside the project, import the file' },
];

/** One import statement or expression. */
export interface Import {
  /** Path from the root for a file of the project, else the name of a package. */
  readonly name: string;
  readonly isType: boolean;
}

/** Static and dynamic imports of a file. @param file its path from the root */
export function importsOf(file: string, text: string): Import[] {
  const namesIn = (code: string): string[] => ts.preProcessFile(code).importedFiles.map(({ fileName }) => fileName);
  // preProcessFile doesn't distinguish types from values, so look again without the type imports.
  const values = new Set(namesIn(text.replace(/^(import|export) type [^;]*;/gm, '')));
  return namesIn(text).map((name) => ({
    name: name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
    isType: !values.has(name),
  }));
}

/**
 * Judges a file's imports.
 * @param file its path from the root
 * @returns a message for each forbidden import: which, why, and how to fix it
 */
export function violationsOf(file: string, imports: readonly Import[]): string[] {
  const folder = rowOf(file);
  const layer = layers[folder];
  if (layer === undefined) return [`${file}: ${folder} has no layer. Add a row to quality/layers.ts that says what it may import and why.`];
  if (isTest(file)) return [];
  return imports.flatMap(({ name, isType }) => {
    if (name.endsWith('.ts')) {
      const { may, why } = layer;
      if (may === 'everything' || name === folder || name.startsWith(`${folder}/`) || isIn(may, name)) return [];
      const allowed = may.length === 0 ? 'no other layer' : `only ${may.join(', ')}`;
      return [
        `${file} imports ${name}, but ${folder} may import ${allowed}: ${why}. ` +
          `Move shared code to a folder that both may import, or pass it in as an argument.`,
      ];
    }
    const rule = packages.find((candidate) => name === candidate.name || name.startsWith(`${candidate.name}/`));
    if (rule === undefined || isIn(rule.in, file) || (isType && isIn(rule.typesIn ?? [], file))) return [];
    return [`${file} imports ${name}, but only ${rule.in.join(', ')} may: ${rule.why}. Use an export of one of them, or extend one.`];
  });
}

/** The row for a file: that of its nested folder if one exists, else that of its top folder. */
function rowOf(path: string): string {
  const inner = path.split('/').slice(0, 2).join('/');
  return inner !== path && inner in layers ? inner : folderOf(path);
}

/** The top folder of a path, or the file itself at the root. */
function folderOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function isIn(places: readonly string[], path: string): boolean {
  return places.includes(folderOf(path)) || places.includes(path);
}

/** Tests and their helpers (`testing/`) may import anything. */
export function isTest(file: string): boolean {
  return /\.(test|spec)\.ts$/.test(file) || file.includes('/testing/');
}
