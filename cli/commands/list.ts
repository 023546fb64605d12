import { checkCatalogue } from '../../checks/catalogue.ts';
import { faultCatalogue } from '../../faults/catalogue.ts';
import { specify } from '../../faults/fault.ts';
import type { Fault } from '../../faults/fault.ts';
import { nearest } from '../../model/nearest.ts';
import { createPaint } from '../../reports/paint.ts';
import { PROFILE_WORDS } from '../../reports/profiles.ts';
import { suites } from '../../suites/catalogue.ts';
import { coverage } from '../../suites/specification/coverage.ts';
import { targetCatalogue } from '../../targets/catalogue.ts';
import type { Console } from '../console.ts';
import { layOutEntries } from '../entries.ts';
import type { Note } from '../entries.ts';
import { formsOf } from '../parameters.ts';
import type { Form, Parameter } from '../parameters.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** One list: its rows are what `--json` prints. */
interface Listing<T> {
  readonly rows: readonly T[];
  readonly nameOf: (row: T) => string;
  readonly textOf: (row: T) => string;
  /** What a terminal shows below each summary. */
  readonly notesOf: (row: T) => readonly Note[];
  /** Further notes, for an entry that is listed alone. */
  readonly detailsOf?: (row: T) => readonly Note[];
  /** What a new user wants to know next. */
  readonly hints: readonly string[];
}

/** A list without its row type. */
interface Printable {
  readonly rows: readonly unknown[];
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly notes: (index: number, isAlone: boolean) => readonly Note[];
  readonly hints: readonly string[];
}

function printable<T>({ rows, nameOf, textOf, notesOf, detailsOf, hints }: Listing<T>): Printable {
  return {
    rows,
    names: rows.map(nameOf),
    texts: rows.map(textOf),
    notes: (index, isAlone) =>
      rows.slice(index, index + 1).flatMap((row) => [...notesOf(row), ...(isAlone ? (detailsOf?.(row) ?? []) : [])]),
    hints,
  };
}

const LISTS: Readonly<Record<string, () => Printable>> = { suites: listSuites, scenarios, requirements, faults, checks, targets };

/**
 * `scaleproof list WHAT [NAME]`: lists suites, scenarios, requirements, faults, checks or targets.
 * @param only part of the names to show
 * @throws UsageError for an unknown list, or if no name matches
 */
export function list(what: string | undefined, only: string | undefined, options: { readonly json: boolean }, console: Console): number {
  const lists = Object.keys(LISTS);
  if (what === undefined) throw new UsageError(`say what to list: ${lists.join(', ')}`);
  const all = Object.hasOwn(LISTS, what) ? LISTS[what]?.() : undefined;
  if (all === undefined) {
    const meant = nearest(what, lists);
    throw new UsageError(
      `there is no list of "${what}"; ${meant === undefined ? `there are: ${lists.join(', ')}` : `did you mean ${meant}?`}`,
    );
  }
  const { rows, names, texts, notes, hints } = all;
  // A full name matches only itself, even if it is part of others.
  const wanted = only !== undefined && names.includes(only) ? (name: string) => name === only : (name: string) => name.includes(only ?? '');
  const shown = names.flatMap((name, index) => (wanted(name) ? [index] : []));
  if (shown.length === 0)
    throw new UsageError(`none of the ${what} has "${only ?? ''}" in its name; \`scaleproof list ${what}\` shows them all`);
  if (options.json) {
    console.out(
      `${JSON.stringify(
        shown.map((index) => rows[index]),
        undefined,
        2,
      )}\n`,
    );
    return EXIT.pass;
  }
  const entries = shown.map((index) => ({
    name: names[index] ?? '',
    text: texts[index] ?? '',
    notes: notes(index, shown.length === 1),
  }));
  const paint = createPaint(console.color);
  console.out(layOutEntries(entries, hints, { columns: console.columns, paint }));
  return EXIT.pass;
}

function listSuites(): Printable {
  return printable({
    rows: suites.map((suite) => ({
      name: suite.name,
      summary: suite.summary,
      scenarios: suite.scenarios.map(({ scenario }) => scenario.id),
    })),
    nameOf: ({ name }) => name,
    textOf: ({ summary }) => summary,
    notesOf: (suite) => [{ text: `${suite.scenarios.length} scenarios` }],
    detailsOf: (suite) => suite.scenarios.map((text) => ({ text })),
    hints: ['Run one with: scaleproof run --suite NAME'],
  });
}

function scenarios(): Printable {
  return printable({
    rows: suites.flatMap((suite) =>
      suite.scenarios.map(({ scenario: { id, title, profile, requirements, needs } }) => ({
        id,
        summary: title,
        suite: suite.name,
        profile,
        requirements,
        needs,
      })),
    ),
    nameOf: ({ id }) => id,
    textOf: ({ summary }) => summary,
    notesOf: ({ profile, needs: { features, capabilities } }) => {
      const facts = [
        ...(profile === 'core' ? [] : [profile]),
        ...(features.length === 0 ? [] : [`for targets with ${features.join(', ')}`]),
        ...(capabilities.length === 0 ? [] : [`needs ${capabilities.join(', ')}`]),
      ];
      return facts.length === 0 ? [] : [{ text: facts.join('; ') }];
    },
    hints: [
      'Run one with: scaleproof run --scenario ID',
      `Profile core unless stated otherwise. ${Object.entries(PROFILE_WORDS)
        .map(([name, words]) => `${name}: ${words}`)
        .join('. ')}.`,
    ],
  });
}

function requirements(): Printable {
  const covered = coverage(suites);
  const untested = covered.filter(({ scenarios }) => scenarios.length === 0).length;
  return printable({
    rows: covered.map(({ area, requirement: { id, level, profile, title }, scenarios }) => ({
      id,
      level,
      area: area.name,
      profile,
      title,
      scenarios: scenarios.map((scenario) => scenario.id),
    })),
    nameOf: ({ id }) => id,
    textOf: ({ title }) => title,
    notesOf: ({ level, profile, scenarios }) => [
      { text: `${level}, ${profile}; ${scenarios.length === 0 ? 'no scenario tests it' : `tested by ${scenarios.join(', ')}`}` },
    ],
    hints: [
      `${covered.length - untested} of ${covered.length} requirements are tested by scenarios.`,
      'Reasons, bounds and the incidents behind them: docs/specification.md',
    ],
  });
}

function faults(): Printable {
  return printable({
    rows: faultCatalogue.map((fault) => {
      const { name, summary, legal } = fault;
      const forms = formsOf(fault.params);
      return { name, summary, legal, capabilities: capabilitiesOf(fault, forms), forms };
    }),
    nameOf: ({ name }) => name,
    textOf: ({ summary }) => summary,
    notesOf: ({ legal, capabilities, forms }) => [
      { text: `${legal ? 'legal' : 'not legal'}; needs ${capabilities.join(', ')}` },
      ...forms.flatMap((form, index) => [...(index === 0 ? [] : [{ text: 'or' }]), ...form.parameters.map(noteOf), ...exampleOf(form)]),
    ],
    hints: [
      "Inject one into a running world with: scaleproof world inject NAME 'PARAMETERS' (docs/world.md)",
      'Legal is what a correct API server or EC2 may do. A world that lacks what a fault needs does not have the fault.',
    ],
  });
}

/** Everything it may need from a world, with any parameters. */
function capabilitiesOf(fault: Fault<unknown, unknown>, forms: readonly Form[]): string[] {
  return [...new Set(forms.flatMap(({ examples }) => examples.flatMap((params) => specify(fault, params).capabilities)))];
}

function noteOf(parameter: Parameter): Note {
  const { name, takes, required, description } = parameter;
  const how = required ? ', required' : 'default' in parameter ? `, by default ${inWords(parameter.default)}` : '';
  return { label: name, text: `${takes}${how}${description === undefined ? '' : `: ${description}`}` };
}

/** JSON with spaces in arrays, so that lines can break. */
function inWords(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
}

function exampleOf({ examples: [first = {}] }: Form): Note[] {
  return Object.keys(first).length === 0 ? [] : [{ label: 'e.g.', text: `'${JSON.stringify(first)}'` }];
}

function checks(): Printable {
  return printable({
    rows: checkCatalogue.map(({ name, summary, codes }) => ({ name, summary, codes })),
    nameOf: ({ name }) => name,
    textOf: ({ summary }) => summary,
    notesOf: ({ codes }) => Object.entries(codes).map(([label, text]) => ({ label, text })),
    hints: ['Every check judges every trial; below each are the codes of its findings.'],
  });
}

function targets(): Printable {
  return printable({
    rows: targetCatalogue.map(({ name, summary, features, constants }) => ({ name, summary, features, constants })),
    nameOf: ({ name }) => name,
    textOf: ({ summary }) => summary,
    notesOf: () => [],
    detailsOf: ({ features, constants }) => [
      { label: 'features', text: features.length === 0 ? 'none beyond the core' : features.join(', ') },
      ...Object.entries(constants).map(([label, value]) => ({ label, text: String(value) })),
    ],
    hints: [
      'Test one with: scaleproof run --target NAME',
      'karpenter@VERSION is Karpenter itself, a release such as karpenter@1.14.1, a commit or a checkout (docs/karpenter.md).',
      'Mutants are the reference with one planted bug each, which the checks must find. Any program of your own: --target ./target.yaml (docs/targets.md)',
    ],
  });
}
