import type { ProgramFacts } from './report-input.ts';

/** Digits of a digest that identify it. */
const DIGITS = 12;

/** What a compiled program was built from: `example.com/autoscaler v1.2.3`. */
export function sourceOf({ module, moduleVersion, sources }: ProgramFacts): string {
  if (sources !== undefined) return `a checkout of ${module} (${sources.slice(0, DIGITS)})`;
  return moduleVersion === undefined ? module : `${module} ${moduleVersion}`;
}
