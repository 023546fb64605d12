/** Thrown to the reader of a mailbox that was filled faster than it was read. */
export class MailboxFullError extends Error {
  constructor(limit: number) {
    super(`the reader fell behind by more than ${limit} items`);
    this.name = 'MailboxFullError';
  }
}

/**
 * A bounded queue from pushes to one asynchronous reader: how watch events and messages travel in process. When the
 * reader stops iterating, the mailbox closes and `onClose` runs once.
 */
export class Mailbox<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  readonly #limit: number;
  readonly #onClose: () => void;
  #wake: (() => void) | undefined;
  #closed = false;
  #error: Error | undefined;

  constructor(limit: number, onClose: () => void = () => undefined) {
    this.#limit = limit;
    this.#onClose = onClose;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Adds an item; ignored after the close. An overfull mailbox fails with a MailboxFullError. */
  push(item: T): void {
    if (this.#closed) return;
    if (this.#items.length >= this.#limit) {
      this.fail(new MailboxFullError(this.#limit));
      return;
    }
    this.#items.push(item);
    this.#wakeReader();
  }

  /** Ends the iteration after the items already pushed. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    this.#wakeReader();
  }

  /** Ends the iteration with an error after the items already pushed. */
  fail(error: Error): void {
    if (this.#closed) return;
    this.#error = error;
    this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        const item = this.#items.shift();
        if (item !== undefined) yield item;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#closed) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
