/** A class of differences that stays. */
export interface KnownClass {
  readonly reason: string;
  /** Cases of the whole recording that may be of this class. */
  readonly most: number;
  /** One of them. */
  readonly example: string;
}

export type KnownClasses = Readonly<Record<string, KnownClass>>;

/** How far ours agrees with the real part. */
export interface Agreement {
  readonly cases: number;
  readonly agreeing: number;
  /** Answers that were compared: those of a case up to its first difference, which is one of them. */
  readonly answers: number;
}

/** @param answers compared, of all cases; each case that differs has one that does */
export function agreementText({ cases, agreeing, answers }: Agreement, server: string): string {
  const same = answers - (cases - agreeing);
  return `agreement with ${server}: ${agreeing} of ${cases} cases (${share(agreeing, cases)}), ${same} of ${answers} compared answers (${share(same, answers)})`;
}

/** How far ours agrees, and what is not allowed of the differences. */
export function conclusion(agreement: Agreement, server: string, problems: readonly string[]): string {
  return ['', agreementText(agreement, server), ...problems.map((problem) => `NOT ALLOWED: ${problem}`)].join('\n');
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? '0.00' : ((part / whole) * 100).toFixed(2)} %`;
}

/**
 * What is not allowed of the differences: a class that is not known, one with more cases than it may have, and a known one
 * that no case is of any more.
 * @param found the classes of all differences
 */
export function problemsOf(found: readonly { readonly name: string; readonly count: number }[], known: KnownClasses): string[] {
  const counts = new Map(found.map(({ name, count }) => [name, count]));
  const fresh = found.filter(({ name }) => known[name] === undefined).map(({ name, count }) => `new class, ${count} cases: ${name}`);
  const listed = Object.entries(known).flatMap(([name, { most }]) => {
    const count = counts.get(name) ?? 0;
    if (count === 0) return [`stale class, no case: ${name}`];
    return count > most ? [`${count} cases where ${most} may be: ${name}`] : [];
  });
  return [...fresh, ...listed];
}
