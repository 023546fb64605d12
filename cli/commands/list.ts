import { checkCatalogue } from '../../checks/catalogue.ts';
import { faultCatalogue } from '../../faults/catalogue.ts';
import { suites } from '../../suites/catalogue.ts';
import { targetCatalogue } from '../../targets/catalogue.ts';
import type { Console } from '../console.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** One row: `id` of scenarios, `name` of the rest. */
interface Row {
  readonly id?: string;
  readonly name?: string;
  readonly summary: string;
  readonly [detail: string]: unknown;
}

const LISTS: Readonly<Record<string, () => Row[]>> = {
  suites: () => suites.map(({ name, summary, scenarios }) => ({ name, summary, scenarios: scenarios.map(({ scenario }) => scenario.id) })),
  scenarios: () =>
    suites.flatMap((suite) =>
      suite.scenarios.map(({ scenario }) => ({
        id: scenario.id,
        summary: scenario.title,
        suite: suite.name,
        profile: scenario.profile,
        requirements: scenario.requirements,
        needs: scenario.needs,
      })),
    ),
  faults: () => faultCatalogue.map(({ name, summary, legal }) => ({ name, summary, legal })),
  checks: () => checkCatalogue.map(({ name, summary, codes }) => ({ name, summary, codes })),
  targets: () => targetCatalogue.map(({ name, summary, features, constants }) => ({ name, summary, features, constants })),
};

/** `scaleproof list WHAT`: what there is to run, to inject, to check, to test. */
export function list(what: string, options: { readonly json: boolean }, console: Console): number {
  const rows = Object.hasOwn(LISTS, what) ? LISTS[what]?.() : undefined;
  if (rows === undefined) throw new UsageError(`there is no list of "${what}"; there are: ${Object.keys(LISTS).join(', ')}`);
  if (options.json) {
    console.out(`${JSON.stringify(rows, undefined, 2)}\n`);
    return EXIT.pass;
  }
  const names = rows.map((row) => row.id ?? row.name ?? '');
  const width = Math.max(...names.map((name) => name.length));
  rows.forEach((row, index) => console.out(`${(names[index] ?? '').padEnd(width)}  ${row.summary}\n`));
  return EXIT.pass;
}
