import type { Instance, InstancePort } from './ports.ts';

/** A registry of instances for a part that did not launch them, with notifications of their changes. */
export class InstanceBook implements Omit<InstancePort, 'end'> {
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<(instance: Instance) => void>();

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records an instance's new state, and notifies listeners. */
  protected note(instance: Instance): void {
    this.#instances.set(instance.id, instance);
    for (const listener of [...this.#listeners]) listener(instance);
  }
}
