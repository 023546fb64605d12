import { z } from 'zod';
import { eventSchema } from '../history/events.ts';
import type { HistoryEvent } from '../history/events.ts';
import { trialResultSchema } from '../history/verdict.ts';
import { runFactsSchema } from './report-input.ts';
import type { ReportInput, ReportTrial, RunFacts } from './report-input.ts';

/** What an anonymous report calls the target. */
export const ANONYMOUS_TARGET = 'the target';
/** What stands in its place inside of a text. */
const WORD = 'target';
/** What stands in the place of the target in a replay line: it can't be replayed without knowing it. */
export const REDACTED_TARGET = 'REDACTED';
/** What stands in the place of the name of the run directory, which its owner chose. */
const ANONYMOUS_RUN = 'anonymous';

/** Parts of catalogue names that tell nothing: many targets have a quick variant. */
const COMMON_PARTS: readonly string[] = ['quick'];
/** What folders, files and exports of anybody's code are called. */
const COMMON_PATH_PARTS: readonly string[] = [
  ...['src', 'lib', 'dist', 'build', 'bin', 'cmd', 'pkg', 'packages', 'node_modules', 'test', 'tests', 'fixtures', 'examples', 'code'],
  ...['home', 'root', 'users', 'tmp', 'var', 'opt', 'usr', 'work', 'workspace', 'repo', 'repos', 'projects', 'app', 'apps'],
  ...['kubernetes', 'scenario', 'scenarios', 'suite', 'suites'],
  ...['index', 'main', 'target', 'targets', 'baseline', 'candidate', 'controller', 'controllers', 'autoscaler', 'scaler'],
];
/** What every autoscaler's labels begin with: hidden where a file is called so, not for a folder's sake. */
const API_PART = 'karpenter';
/** A folder or an export with fewer letters could be anything. */
const MIN_PATH_PART_LENGTH = 3;
/** A base64 text shorter than this holds no name. */
const MIN_BASE64_LENGTH = 12;

/** What operations and objects are made of; a name like that can't be told from what the history says of everybody. */
const WIRE_WORDS: readonly string[] = [
  ...['create', 'get', 'list', 'watch', 'patch', 'update', 'delete', 'log', 'ec2', 'sqs', 'instance'],
  ...['pods', 'nodes', 'nodeclaims', 'nodepools', 'leases', 'events', 'daemonsets', 'volumes', 'templates', 'default', 'kube-system'],
];

/** Takes names out of texts and data. */
interface Anonymiser {
  text(text: string): string;
  /** A copy of plain data, its keys included. */
  data<T>(value: T): T;
}

/**
 * Every name that a run calls its target by: the label that the user gave, its parts, a file's name and stem, and the
 * target's own name in the histories, of which one is read. Longest first.
 * @param also words that the user wants hidden too
 * @throws Error when one of these is a word of the data's own formats
 */
export function targetNames({ run, trials }: Pick<ReportInput, 'run' | 'trials'>, also: readonly string[] = []): string[] {
  const vocabulary = formatWords();
  const refused = also.find((word) => word.trim() === '' || vocabulary.has(word.toLowerCase()));
  if (refused !== undefined) throw new Error(`"${refused}" can't be told from the words that histories are made of`);
  const said = (trials[0]?.events ?? []).flatMap((event) => (event.type === 'trial.begin' ? event.target.name : []));
  const whole = [run.target.name, ...said];
  const found = [
    ...[...whole, ...whole.flatMap((name) => partsOf(name, run))].filter((name) => !vocabulary.has(name.toLowerCase())),
    ...also,
  ];
  return [...new Set(found)]
    .filter((name) => name !== '' && name !== ANONYMOUS_TARGET)
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** `mutant:a-b:quick` has `mutant` and `a-b`; `karpenter@1.2.3` has `1.2.3`; `./acme/x.yaml#wind` has `acme/x.yaml`, `x.yaml`, `x`, `acme` and `wind`. */
function partsOf(name: string, { scenarios }: Pick<RunFacts, 'scenarios'>): string[] {
  if (!/[/\\]|\.(ya?ml|[cm]?[jt]s)$/.test(name))
    return name.split(/[:@]/).filter((part) => !COMMON_PARTS.includes(part) && part !== API_PART);
  const [path = name, exported = ''] = name.split('#');
  const folders = path.split(/[/\\]/);
  const file = folders.pop() ?? path;
  const stem = file.replace(/\.[^.]+$/, '');
  // A folder may be called as a suite is: scenarios keep their names.
  const common = new Set([...COMMON_PATH_PARTS, ...scenarios.flatMap(({ id, suite }) => [suite, ...id.split(/[/-]/)])]);
  const isTelling = (part: string): boolean => !common.has(part.toLowerCase());
  const telling = [...folders, exported].filter((part) => part.length >= MIN_PATH_PART_LENGTH && part !== API_PART && isTelling(part));
  return [path, path.replace(/^(\.{0,2}[/\\])+/, ''), file, ...[stem].filter(isTelling), ...telling];
}

/** Every constant of the formats and the words in it, and the names of their fields: what a reader of the data depends on. */
function formatWords(): ReadonlySet<string> {
  const words = new Set(WIRE_WORDS);
  const add = (text: string): void => {
    for (const word of [text, ...text.split(/[^A-Za-z0-9]+/)]) words.add(word.toLowerCase());
  };
  const visit = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && (key === 'const' || key === 'enum')) add(value);
    if (typeof value !== 'object' || value === null) return;
    if (key === 'properties') for (const name of Object.keys(value)) add(name);
    for (const [name, child] of Object.entries(value)) visit(child, Array.isArray(value) ? key : name);
  };
  for (const schema of [eventSchema, trialResultSchema, runFactsSchema])
    visit(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return words;
}

/** @param names longest first */
export function createAnonymiser(names: readonly string[]): Anonymiser {
  const spellings = names.flatMap((name) => [...new Set([name, encodeURIComponent(name), JSON.stringify(name).slice(1, -1)])]);
  const pattern = spellings.length === 0 ? undefined : new RegExp(spellings.map(patternOf).join('|'), 'g');
  const whole = new Set(names.map((name) => name.toLowerCase()));

  const plain = (text: string): string => (pattern === undefined ? text : text.replace(pattern, WORD));
  const text = (given: string): string => {
    if (whole.has(given.toLowerCase())) return ANONYMOUS_TARGET;
    const clean = plain(given);
    return clean === given ? withoutHidden(given) : clean;
  };
  /** User data of instances is base64: a name in it is as good as in the open. */
  const withoutHidden = (given: string): string => {
    if (given.length < MIN_BASE64_LENGTH || given.length % 4 !== 0 || !/^[\w+/]+={0,2}$/.test(given)) return given;
    const decoded = Buffer.from(given, 'base64').toString('utf8');
    const clean = plain(decoded);
    return clean === decoded ? given : Buffer.from(clean, 'utf8').toString('base64');
  };
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [plain(key), visit(child)]));
  };
  return { text, data: <T>(value: T) => visit(value) as T };
}

/** Between two words that were written as one identifier, by its capitals alone. */
const CAMEL = '(?<=[a-z0-9])(?=[A-Z])';

/**
 * Words may be joined in any way: `Nimbus Pro` is `NimbusPro` and `nimbus-pro`, too. A name with signs in it is found wherever it
 * stands; others only where they are words, or parts of an identifier.
 */
function patternOf(name: string): string {
  const words = name.split(/[-_\s]|(?<=[a-z0-9])(?=[A-Z])/).map(inAnyCase);
  const joined = words.join('[-_\\s]?');
  return /[-_:/.]/.test(name) ? joined : `(?:(?<![A-Za-z0-9])|${CAMEL})${joined}(?:(?![A-Za-z0-9])|${CAMEL})`;
}

/** Not by the flag: where words meet, capitals tell, and that a part of a pattern minds them Node 22 does not know. */
function inAnyCase(word: string): string {
  return [...word]
    .map((sign) => {
      const [lower, upper] = [sign.toLowerCase(), sign.toUpperCase()];
      if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
      return sign.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    })
    .join('');
}

/** A replay line without the target: what else it says stays. Lines of other forms are left to the names. */
export function redactReplay(replay: string): string {
  return replay.replace(/(^|,)target=[^,]*/, `$1target=${REDACTED_TARGET}`);
}

/**
 * All that reports are made of without any name of the target: what is made of it has none either. What the target did,
 * declared and said stays, and so do seeds and times: who knows the harness can run candidates and compare.
 * @param names as `targetNames` found them
 */
export function anonymise(input: ReportInput, names: readonly string[]): ReportInput {
  const anonymiser = createAnonymiser(names);
  return {
    run: anonymousFacts(input.run, anonymiser),
    trials: input.trials.map((trial) => anonymousTrial(trial, anonymiser)),
    notRun: anonymiser.data(input.notRun),
  };
}

function anonymousFacts(run: RunFacts, { data }: Anonymiser): RunFacts {
  const { digest: _digest, program: _program, ...target } = run.target;
  return {
    ...data({ ...run, planned: run.planned.map((trial) => ({ ...trial, replay: redactReplay(trial.replay) })) }),
    id: ANONYMOUS_RUN,
    target: { ...data(target), name: ANONYMOUS_TARGET },
  };
}

function anonymousTrial(trial: ReportTrial, { data }: Anonymiser): ReportTrial {
  const { result, seen } = trial;
  return {
    result: { ...data({ ...result, replay: redactReplay(result.replay) }), target: ANONYMOUS_TARGET },
    seen: data(seen),
    get events(): readonly HistoryEvent[] {
      return trial.events.map((event) => {
        const clean = data(event);
        return clean.type === 'trial.begin' ? { ...clean, target: { ...clean.target, name: ANONYMOUS_TARGET } } : clean;
      });
    },
  };
}
