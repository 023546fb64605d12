import { CONFIDENCE } from '../../history/confidence.ts';

/** The error rate of each bound, which is one-sided. */
export const ALPHA = 1 - CONFIDENCE;
