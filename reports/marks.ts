import type { Verdict } from '../history/verdict.ts';

/** The mark of each verdict. */
export const VERDICT_MARKS: Readonly<Record<Verdict | 'not-run', string>> = { pass: '✓', fail: '✗', unknown: '?', 'not-run': '–' };
