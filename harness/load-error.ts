/** A file can't be used as it is: says which, why, and what to do. */
export class LoadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LoadError';
  }
}
