import { join } from 'node:path';
import type { JudgedTrial } from '../harness/judge-trial.ts';
import { readHistory } from '../history/reader.ts';
import type { ReportTrial } from '../reports/report-input.ts';

/** A judged trial for the reports. Each access to its events reads the file, so that they don't stay in memory. */
export function reportTrial(directory: string, { result, seen }: JudgedTrial): ReportTrial {
  return {
    result,
    seen,
    get events() {
      return readHistory(join(directory, result.history)).events;
    },
  };
}
