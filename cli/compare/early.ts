import { WHOLE_PHASES } from '../../history/latency.ts';
import type { TargetComparison } from '../../history/comparison.ts';
import { formatCell, tellChange } from '../../reports/comparison.ts';
import { printable } from '../../reports/paint.ts';

const SHOWN = ['p50', 'p95'].map((rank) => `${WHOLE_PHASES.fromCreation} ${rank}`);

/** The whole wait of pods, a line for each percentile, while other trials still run. */
export function formatEarlyFigures({ sections, sides, compared }: TargetComparison): string {
  const rows = sections.flatMap((section) => section.rows).filter(({ title }) => SHOWN.includes(title));
  const lines = rows.map(({ title, unit, cells, changes }) => {
    const figures = cells.map((cell, index) => `${sides[index]?.letter ?? ''} ${formatCell(cell, unit)}`);
    const told = changes.map((change, index) => tellChange(sides[index + 1]?.letter ?? '', change));
    return `  ${title}: ${figures.join(', ')}; ${told.join('; ')}`;
  });
  return [`${printable(compared.scenarios.join(', '))} is done, the other scenarios go on:`, ...lines].join('\n');
}
