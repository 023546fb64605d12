import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase, TestError, TestRun } from '@playwright/test/reporter';
import { root } from './sources.ts';

interface Options {
  /** Projects whose tests can't run here, and why. */
  readonly skip?: Readonly<Record<string, string>>;
  /** What to do with tests with the tag `@long`; by default they run like all others, and the totals do not mention them. */
  readonly longer?: 'left out' | 'included';
}

const LONG = '@long';

/**
 * Ends the output with what Playwright's own reporters don't print: measurements of tests, why tests were skipped, each
 * failure on one line, whether longer tests are included, and finally the totals on a line of their own. It also skips projects that
 * the machine can't run, and excludes the longer tests if the option says so.
 */
export default class TotalsReporter implements Reporter {
  readonly #skip: Readonly<Record<string, string>>;
  readonly #longer: Options['longer'];
  #longerTests = 0;
  readonly #errors: TestError[] = [];
  #suite: Suite | undefined;

  constructor(options: Options = {}) {
    this.#skip = options.skip ?? {};
    this.#longer = options.longer;
  }

  async preprocess({ suite, testRun }: { config: FullConfig; suite: Suite; testRun: TestRun }): Promise<void> {
    for (const project of suite.suites) {
      const reason = this.#skip[project.title];
      if (reason !== undefined) testRun.skip(project, reason);
    }
    const longer = this.#longer === undefined ? [] : suite.allTests().filter(({ tags }) => tags.includes(LONG));
    this.#longerTests = longer.length;
    if (this.#longer === 'left out') for (const test of longer) testRun.exclude(test);
  }

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#suite = suite;
  }

  /** An error outside every test: a file that can't be loaded, a worker that couldn't start. */
  onError(error: TestError): void {
    this.#errors.push(error);
  }

  /** The last hook: every other reporter has printed its summary. */
  async onExit(): Promise<void> {
    const tests = this.#suite?.allTests() ?? [];
    const skipped = tests.filter((test) => test.outcome() === 'skipped');
    const failed = tests.filter((test) => test.outcome() === 'unexpected');
    const lines = [
      ...tests.flatMap((test) => measurementsOf(test).map((measured) => `measured: ${titleOf(test)}: ${measured}`)),
      ...skippedLines(skipped),
      ...failed.map((test) => `failed: ${titleOf(test)}: ${firstLineOf(test.results.at(-1)?.error)}`),
      ...this.#errors.map((error) => `failed outside every test: ${firstLineOf(error)}`),
    ];
    if (this.#longerTests > 0) {
      const more = this.#longer === 'left out' ? '; `npm run test:all` runs them too' : '';
      lines.push(`longer tests ${this.#longer}: ${this.#longerTests}${more}`);
    }
    const passed = tests.length - skipped.length - failed.length;
    const totals = [`${passed} passed`, `${failed.length + this.#errors.length} failed`];
    if (skipped.length > 0) totals.push(`${skipped.length} skipped`);
    process.stdout.write(`\n${lines.map((line) => `${line}\n`).join('')}${totals.join(', ')}\n`);
  }
}

function titleOf(test: TestCase): string {
  const [, , , ...titles] = test.titlePath();
  return `${relative(root, test.location.file)}:${test.location.line} ${titles.join(' > ')}`;
}

/** Measurements of a test: annotations of the type `measured`. */
function measurementsOf(test: TestCase): string[] {
  return test.annotations.flatMap(({ type, description }) => (type === 'measured' && description !== undefined ? [description] : []));
}

/** A line for each reason: a machine without a browser skips many tests. */
function skippedLines(skipped: readonly TestCase[]): string[] {
  return [...Map.groupBy(skipped, reasonOf)].map(([reason, tests]) => {
    const [first] = tests;
    if (first !== undefined && tests.length === 1) return `skipped: ${titleOf(first)}: ${reason}`;
    const files = new Set(tests.map(({ location }) => relative(root, location.file)));
    return `skipped: ${tests.length} tests of ${[...files].join(', ')}: ${reason}`;
  });
}

function reasonOf(test: TestCase): string {
  const mark = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme');
  if (mark !== undefined) return mark.description ?? 'no reason given';
  return 'it did not run, because of a failure or an interruption before it';
}

function firstLineOf(error: TestError | undefined): string {
  const text = stripVTControlCharacters(error?.message ?? error?.value ?? 'no error');
  return text.split('\n').find((line) => line.trim() !== '') ?? text;
}
