/**
 * EC2 gives most times of its answers in whole seconds, `2018-05-10T08:05:20.000Z`, as the examples of its API reference show. Only
 * volumes have their creation in milliseconds.
 */
export function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1_000) * 1_000);
}
