import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { collect } from '../common-options.ts';
import type { ReportOptions } from './report.ts';

/** `scaleproof report`. */
export function defineReport(program: Command, { console, finish }: CommandContext): void {
  program
    .command('report')
    .description('write the reports of a run directory again, from its files alone, and others: Allure, a badge, GitHub, anonymous ones')
    .argument('<dir>', 'the run directory')
    .option('--allure [dir]', 'Allure results, and their site where `allure` is installed (default: allure/ beside the report)')
    .option('--history <file>', 'with --allure: what earlier runs came to; this one is added to it')
    .option('--badge [file]', 'a badge, and the same as JSON for shields.io (default: badge.svg beside the report)')
    .option('--github [file]', 'a step summary, and annotations on standard output (default: where GitHub Actions wants it)')
    .option('--anonymous', 'without the names of target or mutant; needs --out')
    .addOption(new Option('--hide <word>', 'with --anonymous: also this word; may be given again').argParser(collect).default([], 'none'))
    .option('--out <dir>', 'a run directory of its own, new or empty, instead of the one it is about')
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, flags: ReportOptions) =>
      finish(await (await import('./report.ts')).report(directory, flags, console)),
    );
}
