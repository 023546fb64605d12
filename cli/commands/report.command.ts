import { Option } from 'commander';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { collect } from '../common-options.ts';
import type { ReportOptions } from './report.ts';

/** `scaleproof report`. */
export function defineReport(program: Command, { console, finish }: CommandContext): void {
  program
    .command('report')
    .description(
      'rewrite the reports of a run, a gate or a matrix from its directory, and write others: Allure, a badge, a GitHub summary, an anonymous copy',
    )
    .argument('<dir>', 'the directory of a run, a gate or a matrix')
    .option(
      '--earlier <run...>',
      'show the trend over these earlier runs: their directories, or their report.json; give <dir> before this flag',
    )
    .option('--allure [dir]', 'write Allure results, and the site if `allure` is installed (default: allure/ beside the report)')
    .option('--history <file>', 'with --allure: file with the results of earlier runs; this run is added')
    .option('--badge [file]', 'write a badge, also as JSON for shields.io (default: badge.svg beside the report)')
    .option('--github [file]', 'append a step summary, and print annotations (default: the file in GITHUB_STEP_SUMMARY)')
    .option('--github-comment', 'print Markdown for a comment on a pull request', false)
    .option('--anonymous', 'hide the name of the target; needs --out')
    .addOption(new Option('--hide <word>', 'with --anonymous: also hide this word; may be repeated').argParser(collect).default([], 'none'))
    .option('--out <dir>', 'write into this new or empty directory instead of the run directory')
    .option('--json', 'print the report as JSON', false)
    .action(async (directory: string, flags: ReportOptions) =>
      finish(await (await import('./report.ts')).report(directory, flags, console)),
    );
}
