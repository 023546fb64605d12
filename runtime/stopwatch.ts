/** Processor time of this thread since it began, user and system, in milliseconds: real time, which no verdict may depend on. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Starts a stopwatch for benchmarks. @returns the milliseconds since then, with fractions */
export function startStopwatch(): () => number {
  const startMs = performance.now();
  return () => performance.now() - startMs;
}
