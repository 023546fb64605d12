import { appendFileSync } from 'node:fs';

/** The environment variable with the id of the active mutant; none is active without it. */
export const ACTIVE = 'SCALEPROOF_ACTIVE_MUTANT';
/** The environment variable with the file to which the ids of executed mutants are appended; by default none is. */
export const EXECUTED = 'SCALEPROOF_EXECUTED_MUTANTS';

/** The line in that file before the mutants that a trial executes. Those before the first one are executed when modules are loaded. */
const TRIAL = 'trial';
/** Behind an id: the mutant would have had another value. */
const DIFFERS = ' differs';

/** What changed code calls. */
interface MutantSwitch {
  /**
   * Asked before each mutant.
   * @param mutated the value that it would have, and that of the code as it is, if it may be computed only to compare them
   */
  isActive(id: number, mutated?: () => unknown, original?: () => unknown): boolean;
  /** Called at the beginning of each trial. */
  beginTrial(): void;
}

export function createSwitch(environment: Readonly<Record<string, string | undefined>>): MutantSwitch {
  const active = Number(environment[ACTIVE] ?? -1);
  const path = environment[EXECUTED];
  if (path === undefined) return { isActive: (id) => id === active, beginTrial: () => undefined };
  const executed = new Set<number>();
  const differing = new Set<number>();
  return {
    isActive: (id, mutated, original) => {
      // Noted at once: the process may be killed at any time.
      if (!executed.has(id)) {
        executed.add(id);
        appendFileSync(path, `${id}\n`);
      }
      if (!differing.has(id) && (mutated === undefined || original === undefined || isOther(mutated, original))) {
        differing.add(id);
        appendFileSync(path, `${id}${DIFFERS}\n`);
      }
      return id === active;
    },
    beginTrial: () => {
      executed.clear();
      differing.clear();
      appendFileSync(path, `${TRIAL}\n`);
    },
  };
}

function isOther(mutated: () => unknown, original: () => unknown): boolean {
  try {
    return !Object.is(mutated(), original());
  } catch {
    // The mutant would fail, since what it leaves out guards the rest.
    return true;
  }
}

/** The mutants that a trial executed. */
export interface Executed {
  readonly executed: ReadonlySet<number>;
  /** Those of them that had another value at least once, or may have had. With the others, the trial would be the same. */
  readonly differing: ReadonlySet<number>;
}

/** What the last trial executed, and what was executed at the loading of modules. @param text of the file of executed mutants */
export function executedInLast(text: string): Executed {
  const sections = text.split(`${TRIAL}\n`);
  const lines = [sections[0], sections.at(-1)].flatMap((section = '') => section.split('\n').filter((line) => line !== ''));
  const [differing, executed] = [lines.filter((line) => line.endsWith(DIFFERS)), lines.filter((line) => !line.endsWith(DIFFERS))];
  return { executed: new Set(executed.map(Number)), differing: new Set(differing.map((line) => Number(line.slice(0, -DIFFERS.length)))) };
}
