import { Help } from 'commander';
import type { HelpConfiguration } from 'commander';

/** A command line, without the program's name, and what it does. */
export interface Example {
  readonly line: string;
  readonly does: string;
}

/** The examples at the end of a command's help. */
export function examplesText(examples: readonly Example[]): string {
  return `\nExamples:\n${examples.map(({ line, does }) => `  scaleproof ${line}\n      ${does}\n`).join('')}`.trimEnd();
}

/** A flag that is off by default says nothing about that. */
export const HELP_CONFIGURATION: HelpConfiguration = {
  optionDescription: (option) => new Help().optionDescription(option).replace(/ \(default: false\)$/, ''),
};
