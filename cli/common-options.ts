import { Option } from 'commander';
import { DEFAULT_NODES_FLAG, parseNodes, parsePattern, parseProfile, parseShard, parseWorkers } from './options.ts';

/** A parser for an option that may be repeated: it collects all values. */
export const collect = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];

/** `--suite`, collected. */
export function suiteOption(): Option {
  return new Option('--suite <name>', 'only this suite; may be repeated').argParser(collect).default([], 'all');
}

/** `--profile`, collected. */
export function profileOption(): Option {
  return new Option('--profile <name>', 'only scenarios of this profile; may be repeated').argParser(parseProfile).default([], 'all');
}

/** `--scenario`, collected. @param takes what may be named */
export function scenarioOption(takes: 'id' | 'id|./file'): Option {
  return new Option(`--scenario <${takes}>`, 'only this scenario; may be repeated').argParser(collect).default([], 'all');
}

/** `--grep`: undefined if not given. */
export function grepOption(): Option {
  return new Option('--grep <pattern>', 'only scenarios whose id or title matches this regular expression').argParser(
    parsePattern('--grep'),
  );
}

/** `--grep-invert`: undefined if not given. */
export function grepInvertOption(): Option {
  return new Option('--grep-invert <pattern>', 'only scenarios where neither id nor title matches it').argParser(
    parsePattern('--grep-invert'),
  );
}

/** `--workers`: undefined if not given. */
export function workersOption(): Option {
  return new Option('--workers <n>', 'number of parallel processes (default: the number of processors)').argParser(parseWorkers);
}

/** `--shard`: undefined if not given. */
export function shardOption(): Option {
  return new Option('--shard <i/n>', 'only the i-th of n shards of the trials; `scaleproof merge` joins their directories').argParser(
    parseShard,
  );
}

/** `--out` of commands that write one run directory. */
export function runDirectoryOption(): Option {
  return new Option('--out <dir>', 'the run directory, new or empty (default: a new one in runs/)');
}

/** `--nodes`, which may be given twice. */
export function nodesOption(): Option {
  return new Option(
    '--nodes <n|simulated|real>',
    'number of nodes, for scenarios that do not set their own; with --world kind also their type',
  )
    .default(DEFAULT_NODES_FLAG, `${DEFAULT_NODES_FLAG.count}, ${DEFAULT_NODES_FLAG.kind}`)
    .argParser(parseNodes);
}

/** `--config`: undefined if not given. */
export function configOption(): Option {
  return new Option('--config <file>', 'file with defaults for flags (default: scaleproof.config.ts or .js, if there is one)');
}

/** `--verbose`, which becomes the console's. */
export function verboseOption(): Option {
  return new Option('--verbose', 'print a line for each trial, and everything that passed').default(false);
}
