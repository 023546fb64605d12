import { join } from 'node:path';
import type { JudgedTrial } from '../harness/judge-trial.ts';
import { readHistory } from '../history/reader.ts';
import type { ReportTrial } from '../reports/report-input.ts';

/** A judged trial for the reports; its events are read from the file each time they are asked for, and not kept. */
export function reportTrial(directory: string, { result, seen }: JudgedTrial): ReportTrial {
  return {
    result,
    seen,
    get events() {
      return readHistory(join(directory, result.history)).events;
    },
  };
}
