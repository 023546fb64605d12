import { Option } from 'commander';
import type { Command } from 'commander';
import type { Profile } from '../../history/events.ts';
import type { Shard } from '../../reports/report-input.ts';
import type { CommandContext } from '../command-context.ts';
import {
  configOption,
  grepInvertOption,
  grepOption,
  profileOption,
  scenarioOption,
  shardOption,
  suiteOption,
  verboseOption,
  workersOption,
} from '../common-options.ts';
import { examplesText } from '../help.ts';
import type { Example } from '../help.ts';
import { parseSeeds } from '../options.ts';

const EXAMPLES: readonly Example[] = [
  { line: 'matrix karpenter@1.14.0 .. karpenter@1.14.1', does: 'every scenario, on the releases from one to the other that are built' },
  { line: 'matrix reference plain --suite capacity --seeds 20', does: 'one suite, twenty trials of each scenario' },
  { line: 'matrix karpenter@1.14.0 karpenter@1.14.1 --shard 1/4 --out shard-1', does: 'a quarter of the trials; `merge` joins them' },
];

/** `scaleproof matrix`. */
export function defineMatrix(program: Command, { console, finish }: CommandContext): void {
  program
    .command('matrix')
    .description('run scenarios on many versions, and show which version does what, and what changed from each to the next')
    .argument('<versions...>', 'targets (name or ./file), oldest first, or a range: A@1.9 .. A@1.14.1')
    .addOption(suiteOption())
    .addOption(profileOption())
    .addOption(scenarioOption('id|./file'))
    .addOption(grepOption())
    .addOption(grepInvertOption())
    .addOption(new Option('--seeds <n>', 'trials of each scenario, with the seeds 1 to n').default(1).argParser(parseSeeds))
    .addOption(workersOption())
    .addOption(shardOption())
    .addOption(configOption())
    .option('--out <dir>', 'the matrix directory: what it has already is not run again', 'runs/matrix')
    .addOption(verboseOption())
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `${examplesText(EXAMPLES)}\n\nExit codes: 0 every cell has a verdict, whatever it is (\`gate\` decides), 2 usage error, 3 interrupted, or a cell is unknown.`,
    )
    .action(
      async (
        versions: string[],
        flags: {
          suite: string[];
          profile: Profile[];
          scenario: string[];
          grep?: RegExp;
          grepInvert?: RegExp;
          seeds: number;
          workers?: number;
          shard?: Shard;
          out: string;
          verbose: boolean;
          json: boolean;
        },
        command: Command,
      ) => {
        const { applyConfig } = await import('../apply-config.ts');
        await applyConfig(command);
        const { suite: suites, profile: profiles, scenario: scenarios, verbose, ...rest } = flags;
        const { matrix } = await import('./matrix.ts');
        finish(await matrix(versions, { ...rest, suites, profiles, scenarios }, { ...console, verbose }));
      },
    );
}
