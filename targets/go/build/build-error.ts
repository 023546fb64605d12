/** A program can't be built. The message says what to do. */
export class BuildError extends Error {
  /** Nothing was tried, because something is missing or the request is invalid. */
  readonly isRefusal: boolean;
  constructor(message: string, { isRefusal = false }: { readonly isRefusal?: boolean } = {}) {
    super(message);
    this.name = 'BuildError';
    this.isRefusal = isRefusal;
  }
}
