import { Option } from 'commander';
import { DEFAULT_NODES_FLAG, parseNodes, parseProfile, parseWorkers } from './options.ts';

/** A parser for an option that may be given again: every value counts. */
export const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];

/** `--suite`, collected. */
export function suiteOption(): Option {
  return new Option('--suite <name>', 'only this suite; may be given again').argParser(collect).default([], 'all');
}

/** `--profile`, collected. */
export function profileOption(): Option {
  return new Option('--profile <name>', 'only scenarios of this profile; may be given again').argParser(parseProfile).default([], 'all');
}

/** `--scenario`, collected. @param takes what may be named */
export function scenarioOption(takes: 'id' | 'id|./file'): Option {
  return new Option(`--scenario <${takes}>`, 'only this scenario; may be given again').argParser(collect).default([], 'all');
}

/** `--workers`: undefined where nothing was said. */
export function workersOption(): Option {
  return new Option('--workers <n>', 'processes side by side (default: the number of processors)').argParser(parseWorkers);
}

/** `--out` of commands that write one run directory. */
export function runDirectoryOption(): Option {
  return new Option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)');
}

/** `--nodes`, which may be given twice. */
export function nodesOption(): Option {
  return new Option(
    '--nodes <n|simulated|real>',
    'nodes that scenarios of a free size shall reach; in --world kind also how they come to be',
  )
    .default(DEFAULT_NODES_FLAG, `${DEFAULT_NODES_FLAG.count}, ${DEFAULT_NODES_FLAG.kind}`)
    .argParser(parseNodes);
}

/** `--verbose`, which becomes the console's. */
export function verboseOption(): Option {
  return new Option('--verbose', 'tell everything: a line for each trial, and what passed').default(false);
}
