import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestInfo } from '@playwright/test';
import type { TrialEnd } from '../../harness/run.ts';
import type { TrialResult } from '../../history/verdict.ts';

/** A directory for the trials of one test, kept with the test's results. */
export function trialDirectory(testInfo: TestInfo, name = 'run'): string {
  const directory = testInfo.outputPath(name);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  return directory;
}

/** What was found, a line each. */
export function findingsOf(result: TrialResult): string[] {
  return result.checks.flatMap(({ check, findings }) => findings.map(({ code, message }) => `${check} ${code}: ${message}`));
}

/** What could not be found out, a line each. */
export function unknownsOf(result: TrialResult): string[] {
  return result.checks.filter(({ verdict }) => verdict === 'unknown').map(({ check, summary }) => `${check}: ${summary}`);
}

/** All that kept a trial from passing, a line each with how to replay it; nothing for one that passed. */
export function complaintsOf(end: TrialEnd): string[] {
  if (end.kind !== 'judged') return [end.kind];
  return [...findingsOf(end.result), ...unknownsOf(end.result)].map((complaint) => `${complaint} (replay: ${end.result.replay})`);
}
