import type { ReportedFinding, TrialReport } from '../run-report.ts';

/** Findings of one trial with the same code for different objects. */
export interface FindingGroup {
  /** From 1, in the order of the checks. */
  readonly number: number;
  readonly check: string;
  readonly code: string;
  readonly findings: readonly ReportedFinding[];
}

/** Groups the findings of a trial by check and code. */
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
  return [...groups.values()].map((group, index) => ({ number: index + 1, ...group }));
}
