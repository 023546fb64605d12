import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { runDirectoryOption, verboseOption } from '../common-options.ts';
import { EC2_KINDS } from '../choose-ec2.ts';
import { MODES } from '../existing/flags.ts';

/** `scaleproof replay`. */
export function defineReplay(program: Command, { console, finish }: CommandContext): void {
  program
    .command('replay')
    .description('repeat a trial from its replay line')
    .argument('<line>', 'the replay line printed with the failure')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster, if the line is from --world existing')
    .addOption(new Option('--ec2 <name>', 'EC2 and SQS to use, if the line is from a real cluster').choices(EC2_KINDS))
    .option('--aws-endpoint <url>', 'URL of a running LocalStack, if the line is from a real cluster')
    .addOption(new Option('--mode <name>', 'mode, if the line is from --world existing (default: routed)').choices(MODES))
    .option('--yes', 'skip the confirmation, if the line is from --world existing')
    .addOption(runDirectoryOption())
    .addOption(verboseOption())
    .option('--json', 'print the report as JSON', false)
    .action(
      async (
        line: string,
        flags: {
          kubeconfig?: string;
          awsEndpoint?: string;
          ec2?: (typeof EC2_KINDS)[number];
          mode?: (typeof MODES)[number];
          yes?: boolean;
          out?: string;
          verbose: boolean;
          json: boolean;
        },
      ) => {
        const { kubeconfig, awsEndpoint, ec2, mode, yes, out, verbose, json } = flags;
        const { replay } = await import('./replay.ts');
        finish(
          await replay(
            line,
            { kubeconfig, awsEndpoint, ec2, mode, yes, keep: false, reuse: undefined, out, json },
            { ...console, verbose },
          ),
        );
      },
    );
}
