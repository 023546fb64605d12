import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { loadExport } from '../harness/load.ts';
import { configSchema } from '../harness/config.ts';
import type { ScaleproofConfig } from '../harness/config.ts';
import { UsageError } from './usage-error.ts';
import { userFileUrl } from './user-file.ts';

/** The names of the configuration file in the working directory. */
const FILES = ['scaleproof.config.ts', 'scaleproof.config.js'];

/** The option that each field is the default of. */
const OPTIONS: Readonly<Record<keyof ScaleproofConfig, string>> = {
  target: 'target',
  baseline: 'baseline',
  candidate: 'candidate',
  suites: 'suite',
  scenarios: 'scenario',
  manifests: 'manifests',
  strict: 'strict',
  grep: 'grep',
  grepInvert: 'grepInvert',
  profiles: 'profile',
  seed: 'seed',
  trials: 'trials',
  workers: 'workers',
  policy: 'policy',
};
/** Options that choose scenarios: one of them on the command line replaces all of the file, and what narrows them. */
const CHOICE = ['scenario', 'suite', 'profile', 'manifests'];
const NARROWING = ['grep', 'grepInvert'];

type Fields = readonly (keyof ScaleproofConfig)[] | undefined;

/**
 * Sets the options of a command that are not on the command line from the configuration file: that of `--config`, or the one in the
 * working directory, if there is one.
 * @param fieldsOf the fields that apply to this call of the command; by default all whose option it has
 * @throws UsageError or LoadError that names the file, and the field that is wrong
 */
export async function applyConfig(command: Command, fieldsOf: (config: ScaleproofConfig) => Fields = () => undefined): Promise<void> {
  const path = configFile(command.opts<{ config?: string }>().config);
  if (path === undefined) return;
  const config = await readConfig(path);
  const fields = fieldsOf(config);
  const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  const isChosen = CHOICE.some(isGiven);
  for (const [field, name] of Object.entries(OPTIONS) as [keyof ScaleproofConfig, string][]) {
    const value = config[field];
    const option = command.options.find((one) => one.attributeName() === name);
    if (value === undefined || option === undefined || fields?.includes(field) === false) continue;
    if (isGiven(name) || (isChosen && [...CHOICE, ...NARROWING].includes(name))) continue;
    // It is for manifests, from the file or the command line. Without any it has no meaning.
    if (name === 'strict' && (isChosen ? !isGiven('manifests') : config.manifests === undefined)) continue;
    // The parsers of the flags know the valid values.
    const { parseArg } = option;
    const parse = (text: string, before: unknown): unknown => (parseArg === undefined ? text : parseArg(text, before));
    const texts = typeof value === 'object' ? value : [String(value)];
    const parsed = inFile(path, () => texts.reduce<unknown>((before, text) => parse(text, before), option.defaultValue));
    command.setOptionValueWithSource(name, typeof value === 'boolean' ? value : parsed, 'config');
  }
}

/** @throws UsageError if there are two */
function configFile(given: string | undefined): string | undefined {
  if (given !== undefined) return given;
  const [path, other] = FILES.filter((name) => existsSync(name));
  if (other !== undefined) throw new UsageError(`there are ${path} and ${other}: remove one, or name one with --config`);
  return path;
}

async function readConfig(path: string): Promise<ScaleproofConfig> {
  const value = await loadExport({ module: userFileUrl(path, 'configuration'), export: 'default' });
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path: at, message }) => `${at.length === 0 ? 'it' : at.map(String).join('.')} ${message}`);
  throw new UsageError(`${path}: ${problems.join('; ')}`);
}

function inFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}
