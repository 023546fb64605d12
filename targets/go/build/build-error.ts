/** A program can't be built. The message says what to do. */
export class BuildError extends Error {
  /** Whether nothing was tried, since something is missing or asked for wrongly. */
  readonly isRefusal: boolean;
  constructor(message: string, { isRefusal = false }: { readonly isRefusal?: boolean } = {}) {
    super(message);
    this.name = 'BuildError';
    this.isRefusal = isRefusal;
  }
}
