import type { ReportedFinding, TrialReport } from '../run-report.ts';

/** Findings of one trial that say the same of different objects. */
export interface FindingGroup {
  /** From 1, in the order in which they could be seen: what came first may have brought about the rest. */
  readonly number: number;
  readonly check: string;
  readonly code: string;
  readonly findings: readonly ReportedFinding[];
}

/** Groups the findings of a trial by check and code, the earliest first. */
export function groupFindings(trial: TrialReport): FindingGroup[] {
  const groups = new Map<string, { check: string; code: string; findings: ReportedFinding[] }>();
  for (const { check, findings } of trial.checks) {
    for (const finding of findings) {
      const key = JSON.stringify([check, finding.code]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { check, code: finding.code, findings: [finding] });
      else group.findings.push(finding);
    }
  }
  return [...groups.values()].sort((a, b) => seenAt(a) - seenAt(b)).map((group, index) => ({ number: index + 1, ...group }));
}

/** The place in the history from which on a finding of the group could be told. */
function seenAt({ findings }: Pick<FindingGroup, 'findings'>): number {
  return Math.min(...findings.map(({ events }) => events.at(-1) ?? Infinity));
}
