import { z } from 'zod';
import { eventSchema } from '../history/events.ts';
import type { HistoryEvent } from '../history/events.ts';
import { trialResultSchema } from '../history/verdict.ts';
import { runFactsSchema } from './report-input.ts';
import type { ReportInput, ReportTrial, RunFacts } from './report-input.ts';

/** The name of the target in an anonymous report. */
export const ANONYMOUS_TARGET = 'the target';
/** Its replacement inside a text. */
const WORD = 'target';
/** Its replacement in a replay line, which can't be replayed without knowing the target. */
export const REDACTED_TARGET = 'REDACTED';
/** The replacement for the name of the run directory, which its owner chose. */
const ANONYMOUS_RUN = 'anonymous';

/** Parts of catalogue names that do not identify a target: many have a quick variant. */
const COMMON_PARTS: readonly string[] = ['quick'];
/** Common names of folders, files and exports. */
const COMMON_PATH_PARTS: readonly string[] = [
  ...['src', 'lib', 'dist', 'build', 'bin', 'cmd', 'pkg', 'packages', 'node_modules', 'test', 'tests', 'fixtures', 'examples', 'code'],
  ...['home', 'root', 'users', 'tmp', 'var', 'opt', 'usr', 'work', 'workspace', 'repo', 'repos', 'projects', 'app', 'apps'],
  ...['kubernetes', 'scenario', 'scenarios', 'suite', 'suites'],
  ...['index', 'main', 'target', 'targets', 'baseline', 'candidate', 'controller', 'controllers', 'autoscaler', 'scaler'],
];
/** The prefix of every autoscaler's labels: hidden as the name of a file, but not as that of a folder. */
const API_PART = 'karpenter';
/** Shorter names of folders or exports are too ambiguous. */
const MIN_PATH_PART_LENGTH = 3;
/** Shorter base64 texts can't contain a name. */
const MIN_BASE64_LENGTH = 12;

/** Words in names of operations and objects: a target with such a name can't be distinguished from other text in the history. */
const WIRE_WORDS: readonly string[] = [
  ...['create', 'get', 'list', 'watch', 'patch', 'update', 'delete', 'log', 'ec2', 'sqs', 'instance'],
  ...['pods', 'nodes', 'nodeclaims', 'nodepools', 'leases', 'events', 'daemonsets', 'volumes', 'templates', 'default', 'kube-system'],
];

/** Removes names from texts and data. */
interface Anonymiser {
  text(text: string): string;
  /** A copy of plain data without names, even in keys. */
  data<T>(value: T): T;
}

/**
 * Every name of the target in a run: the user's label, its parts, a file's name and stem, and the target's own name in the histories,
 * of which one is read. Longest first.
 * @param also further words that the user wants to hide
 * @throws Error when one of these is a word of the data formats
 */
export function targetNames({ run, trials }: Pick<ReportInput, 'run' | 'trials'>, also: readonly string[] = []): string[] {
  const vocabulary = formatWords();
  const refused = also.find((word) => word.trim() === '' || vocabulary.has(word.toLowerCase()));
  if (refused !== undefined)
    throw new Error(`"${refused}" can't be hidden, since histories use this word themselves; remove it from --hide`);
  const names = (trials[0]?.events ?? []).flatMap((event) => (event.type === 'trial.begin' ? event.target.name : []));
  const whole = [run.target.name, ...names];
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
  // A folder may have the name of a suite: names of scenarios are kept.
  const common = new Set([...COMMON_PATH_PARTS, ...scenarios.flatMap(({ id, suite }) => [suite, ...id.split(/[/-]/)])]);
  const isSpecific = (part: string): boolean => !common.has(part.toLowerCase());
  const specific = [...folders, exported].filter((part) => part.length >= MIN_PATH_PART_LENGTH && part !== API_PART && isSpecific(part));
  return [path, path.replace(/^(\.{0,2}[/\\])+/, ''), file, ...[stem].filter(isSpecific), ...specific];
}

/** All constants of the formats, their words, and the names of fields, which readers of the data depend on. */
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
  /** User data of instances is base64, so names in it have to be hidden, too. */
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

/** A word boundary inside a camel-case identifier. */
const CAMEL = '(?<=[a-z0-9])(?=[A-Z])';

/**
 * Words may be joined in any way: `Nimbus Pro` is `NimbusPro` and `nimbus-pro`, too. A name with special characters is found anywhere;
 * other names only as words, or as parts of an identifier.
 */
function patternOf(name: string): string {
  const words = name.split(/[-_\s]|(?<=[a-z0-9])(?=[A-Z])/).map(inAnyCase);
  const joined = words.join('[-_\\s]?');
  return /[-_:/.]/.test(name) ? joined : `(?:(?<![A-Za-z0-9])|${CAMEL})${joined}(?:(?![A-Za-z0-9])|${CAMEL})`;
}

/** Not with the `i` flag: boundaries between words depend on case, and Node 22 does not support flags for a part of a pattern. */
function inAnyCase(word: string): string {
  return [...word]
    .map((sign) => {
      const [lower, upper] = [sign.toLowerCase(), sign.toUpperCase()];
      if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
      return sign.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    })
    .join('');
}

/** A replay line without the target, and otherwise unchanged. In lines of another form, only names are replaced. */
export function redactReplay(replay: string): string {
  return replay.replace(/(^|,)target=[^,]*/, `$1target=${REDACTED_TARGET}`);
}

/**
 * The input of reports without any name of the target, so that no report has one. What the target did, declared and said stays, and so
 * do seeds and times, so somebody could run candidate targets and compare.
 * @param names from `targetNames`
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
