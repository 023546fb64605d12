/** Starts a stopwatch for benchmarks. @returns the milliseconds since then, with fractions */
export function startStopwatch(): () => number {
  const startMs = performance.now();
  return () => performance.now() - startMs;
}
