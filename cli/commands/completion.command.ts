import { Argument } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { SHELLS } from '../options.ts';
import type { Shell } from '../options.ts';
import { EXIT } from '../usage-error.ts';

/** `scaleproof completion`. */
export function defineCompletion(program: Command, { console, finish }: CommandContext): void {
  program
    .command('completion')
    .description('print a shell completion script for commands, flags, scenarios and targets')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash: source <(scaleproof completion bash); zsh: source <(scaleproof completion zsh); fish: scaleproof completion fish | source',
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion.ts');
      console.out(completionScript(program, shell));
      finish(EXIT.pass);
    });
}
