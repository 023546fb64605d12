import { GENERATED_SUITE } from '../../explore/generated.ts';
import { printable } from '../../reports/paint.ts';
import { renderTable } from '../../reports/table.ts';
import type { MutantReport, MutationReport, Outcome } from './outcome.ts';

type Of<Name extends Outcome['outcome']> = MutantReport & { readonly result: Extract<Outcome, { outcome: Name }> };

function withOutcome<Name extends Outcome['outcome']>({ mutants }: MutationReport, name: Name): Of<Name>[] {
  return mutants.filter((mutant): mutant is Of<Name> => mutant.result.outcome === name);
}

/** Most differences of one survivor that are printed. */
const MAX_SEEN = 3;
/** Most scenarios that a line names. */
const MAX_NAMED = 6;
const WIDTH = 140;

/** The whole report as text. */
export function formatReport(report: MutationReport): string {
  const parts = [
    killedPart(withOutcome(report, 'killed')),
    part(
      'survived: the wires saw it, and no check failed',
      withOutcome(report, 'survived').flatMap((mutant) => [...linesOf(mutant), ...seenLines(mutant)]),
    ),
    part(
      'unknown: no check failed, and a trial could not be judged',
      withOutcome(report, 'unknown').flatMap((mutant) => [
        ...linesOf(mutant),
        `      ${mutant.result.scenario}: ${printable(mutant.result.why)}`,
      ]),
    ),
    part(
      'not seen on the wires: the same histories, apart from log lines',
      withOutcome(report, 'not-seen').flatMap((mutant) => [...linesOf(mutant), executedLine(mutant.result.scenarios)]),
    ),
    part('never executed', withOutcome(report, 'not-executed').flatMap(linesOf)),
  ];
  return [...parts.flat(), totalsLine(report), ''].join('\n');
}

/** One line for a mutant, as it is judged. */
export function progressLine({ file, line, kind, result }: MutantReport, done: number, total: number): string {
  const how =
    result.outcome === 'killed'
      ? `killed by ${result.scenario}${result.seed === 1 ? '' : ` with seed ${result.seed}`}, ${result.check}`
      : result.outcome;
  return `${done} of ${total}: ${file}:${line} ${kind}: ${how}\n`;
}

function part(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines, ''];
}

function linesOf({ id, file, line, kind, before, after }: MutantReport): string[] {
  return [`  ${file}:${line} (${kind}, number ${id})`, `    - ${before}`, `    + ${after}`];
}

function seenLines({ result: { scenarios, seen } }: Of<'survived'>): string[] {
  const lines = seen
    .slice(0, MAX_SEEN)
    .flatMap(({ scenario, difference }) => [
      `      ${scenario}, at ${difference.atMs} ms:`,
      `        without: ${printable(difference.without ?? 'the end')}`,
      `        with:    ${printable(difference.with ?? 'the end')}`,
    ]);
  return [executedLine(scenarios), `      seen in ${seen.length} of them${seen.length > MAX_SEEN ? `, for example` : ''}`, ...lines];
}

function executedLine(scenarios: readonly string[]): string {
  const rest = scenarios.length - MAX_NAMED;
  return `      executed by ${scenarios.length}: ${scenarios.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function killedPart(killed: readonly Of<'killed'>[]): string[] {
  if (killed.length === 0) return [];
  const groups = [...Map.groupBy(killed, ({ result }) => `${result.scenario} ${result.check} ${result.code}`).values()];
  const rows = groups
    .sort((a, b) => b.length - a.length)
    .map((group) => {
      // A group has at least one.
      const [{ result }] = group as [Of<'killed'>];
      const places = group.map(({ file, line }) => `${file}:${line}`).join(', ');
      return [result.scenario, `${result.check} ${result.code}`, String(group.length), places].map((text) => ({ text }));
    });
  const columns = [
    { heading: 'KILLED BY', align: 'left' as const },
    { heading: 'CHECK', align: 'left' as const },
    { heading: 'MUTANTS', align: 'right' as const },
    { heading: 'WHERE', align: 'left' as const },
  ];
  return [...renderTable(columns, rows, { maxWidth: WIDTH, paintHeading: (text) => text }), ''];
}

function totalsLine(report: MutationReport): string {
  const count = (name: Outcome['outcome']): number => withOutcome(report, name).length;
  const seen = count('killed') + count('survived');
  const share = seen === 0 ? '' : ` (${Math.round((100 * count('killed')) / seen)} % of those that the wires saw)`;
  const rest = `${count('survived')} survived, ${count('unknown')} unknown, ${count('not-seen')} not seen, ${count('not-executed')} never executed`;
  const generated = withOutcome(report, 'killed').filter(({ result }) => result.scenario.startsWith(`${GENERATED_SUITE}/`)).length;
  const explored = generated === 0 ? '' : `, ${generated} of them only by generated scenarios`;
  const early = report.interrupted ? '; interrupted' : '';
  return `${report.mutants.length} mutants: ${count('killed')} killed${explored}${share}, ${rest}${early}`;
}
