/** Reasons with their counts. */
export class Histogram {
  readonly #counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  /** Sorted as text, as in a FitError of the scheduler. */
  toString(): string {
    return [...this.#counts]
      .map(([reason, count]) => `${count} ${reason}`)
      .sort()
      .join(', ');
  }
}
