import { appendFileSync } from 'node:fs';

/** The environment variable with the id of the active mutant; none is active without it. */
export const ACTIVE = 'SCALEPROOF_ACTIVE_MUTANT';
/** The environment variable with the file to which the ids of executed mutants are appended, one per line; by default none is. */
export const EXECUTED = 'SCALEPROOF_EXECUTED_MUTANTS';

/** The line in that file before the mutants that a trial executes. Those before the first one are executed when modules are loaded. */
const TRIAL = 'trial';

/** What changed code calls. */
interface MutantSwitch {
  /** Asked before each mutant. */
  isActive(id: number): boolean;
  /** Called at the beginning of each trial. */
  beginTrial(): void;
}

export function createSwitch(environment: Readonly<Record<string, string | undefined>>): MutantSwitch {
  const active = Number(environment[ACTIVE] ?? -1);
  const path = environment[EXECUTED];
  if (path === undefined) return { isActive: (id) => id === active, beginTrial: () => undefined };
  const executed = new Set<number>();
  return {
    isActive: (id) => {
      if (!executed.has(id)) {
        executed.add(id);
        // At once: the process may be killed at any time.
        appendFileSync(path, `${id}\n`);
      }
      return id === active;
    },
    beginTrial: () => {
      executed.clear();
      appendFileSync(path, `${TRIAL}\n`);
    },
  };
}

/** The mutants that the last trial executed, those at the loading of modules included. @param text of the file of executed mutants */
export function executedInLast(text: string): Set<number> {
  const sections = text.split(`${TRIAL}\n`);
  return new Set([sections[0], sections.at(-1)].flatMap((section = '') => section.split('\n').filter((line) => line !== '')).map(Number));
}
