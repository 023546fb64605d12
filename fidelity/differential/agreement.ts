/** A class of accepted differences. */
export interface KnownClass {
  readonly reason: string;
  /** Most cases of this class in the whole recording. */
  readonly most: number;
  /** The id of one of them. */
  readonly example: string;
}

export type KnownClasses = Readonly<Record<string, KnownClass>>;

/** How well the emulated part agrees with the real one. */
export interface Agreement {
  readonly cases: number;
  readonly agreeing: number;
  /** Compared answers: those of each case up to and including its first difference. */
  readonly answers: number;
}

/** @param answers compared in all cases; each differing case has exactly one that differs */
export function agreementText({ cases, agreeing, answers }: Agreement, server: string): string {
  const same = answers - (cases - agreeing);
  return `agreement with ${server}: ${agreeing} of ${cases} cases (${share(agreeing, cases)}), ${same} of ${answers} compared answers (${share(same, answers)})`;
}

/** The agreement, and the differences that are not allowed. */
export function conclusion(agreement: Agreement, server: string, problems: readonly string[]): string {
  return ['', agreementText(agreement, server), ...problems.map((problem) => `NOT ALLOWED: ${problem}`)].join('\n');
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? '0.00' : ((part / whole) * 100).toFixed(2)} %`;
}

/**
 * The differences that are not allowed: an unknown class, a class with more cases than its limit, and a known class without any
 * case left.
 * @param found the classes of all differences
 * @param beyond classes, and limits, that are also allowed when more cases are run than are recorded
 */
export function problemsOf(
  found: readonly { readonly name: string; readonly count: number }[],
  known: KnownClasses,
  beyond: KnownClasses = {},
): string[] {
  const allowed = { ...known, ...beyond };
  const counts = new Map(found.map(({ name, count }) => [name, count]));
  const fresh = found.filter(({ name }) => allowed[name] === undefined).map(({ name, count }) => `new class, ${count} cases: ${name}`);
  const listed = Object.entries(allowed).flatMap(([name, { most }]) => {
    const count = counts.get(name) ?? 0;
    if (count === 0) return known[name] === undefined ? [] : [`stale class, no case: ${name}`];
    return count > most ? [`${count} cases, at most ${most} allowed: ${name}`] : [];
  });
  return [...fresh, ...listed];
}
