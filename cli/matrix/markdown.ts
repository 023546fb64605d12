import { formatCount, formatPercent, formatPhase } from '../../reports/format.ts';
import { gapsOf } from '../../reports/comparison.ts';
import { VERDICT_MARKS } from '../../reports/marks.ts';
import { CELL_WORDS, figureText, riskText, shareOf, upgradeLines, versionText } from '../../reports/matrix.ts';
import type { CellVerdict, MatrixCell, MatrixReport } from '../../reports/matrix-report.ts';
import { escapeMarkdown as escape, markdownTable as table } from '../markdown.ts';

/** A matrix for documents and issues, in the Markdown of GitHub. It has no links, since reports are elsewhere. */
export function formatMatrixMarkdown(matrix: MatrixReport): string {
  const { versions, upgrades, requirements, scenarios, measured, seeds, confidence } = matrix;
  const targets = versions.map(({ target }) => escape(target));
  const [riskiest] = upgrades;
  const nameOf = ({ from, to }: MatrixReport['upgrades'][number]): string => `${targets[from] ?? ''} → ${targets[to] ?? ''}`;
  return [
    '# Scaleproof matrix',
    '',
    `${formatCount(scenarios.length, 'scenario')}, ${formatCount(seeds.count, 'seed')} each, by Scaleproof ${escape(matrix.scaleproof)}. Each bound has ${formatPercent(confidence)} confidence.`,
    ...(riskiest === undefined || riskiest.risk.level === 'none'
      ? []
      : ['', `**Riskiest upgrade: ${nameOf(riskiest)}**: ${escape(riskText(riskiest))}.`]),
    '',
    ...table(
      ['Version', 'Pass', 'Fail', 'Unknown', 'Not run', 'Missing', 'Broken requirements'],
      versions.map((version, index) => {
        const { passed, failed, unknown, notRun, missing } = version.scenarios;
        return [targets[index] ?? '', ...[passed, failed, unknown, notRun, missing].map(String), versionText(version)];
      }),
    ),
    ...(upgrades.length === 0 ? [] : ['', '## What changed']),
    ...upgrades.flatMap((upgrade) => [
      '',
      `### ${nameOf(upgrade)}`,
      '',
      `${escape(riskText(upgrade))}.`,
      ...list(upgradeLines(upgrade).map((line) => `- ${escape(line)}`)),
    ]),
    ...(requirements.length === 0 ? [] : ['', '## Requirements', '']),
    ...(requirements.length === 0
      ? []
      : table(
          ['Requirement', ...targets],
          requirements.map(({ id, level, title, cells }) => [
            `${id} (${level}) ${escape(title)}`,
            ...cells.map(({ verdict }) => verdictText(verdict)),
          ]),
        )),
    '',
    '## Scenarios',
    '',
    ...table(
      ['Scenario', ...targets],
      scenarios.map(({ id, cells }) => [escape(id), ...cells.map(scenarioText)]),
    ),
    ...measured.sections.flatMap((section) => [
      '',
      `## ${escape(section.title)}`,
      '',
      ...table(
        ['Measure', ...targets],
        section.rows.map((row) => [escape(formatPhase(row.title)), ...row.cells.map((cell) => escape(figureText(cell, row.unit)))]),
      ),
      ...gapsOf(section).flatMap((text) => ['', `*${escape(formatPhase(text))}.*`]),
    ]),
    ...(measured.trials === 0 ? [] : ['', `Measured over the ${formatCount(measured.trials, 'trial')} that all versions have.`]),
    '',
  ].join('\n');
}

/** A list after a blank line, if there is any. */
function list(items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', ...items];
}

/** `✗ fail 1/2<br>leaked-instance` */
function scenarioText(cell: MatrixCell): string {
  const share = shareOf(cell).join('/');
  const code = cell.verdict === 'fail' ? cell.findings[0]?.code : undefined;
  return `${verdictText(cell.verdict)}${share === '' ? '' : ` ${share}`}${code === undefined ? '' : `<br>${escape(code)}`}`;
}

function verdictText(verdict: CellVerdict): string {
  return verdict === 'missing' ? CELL_WORDS.missing : `${VERDICT_MARKS[verdict]} ${CELL_WORDS[verdict]}`;
}
