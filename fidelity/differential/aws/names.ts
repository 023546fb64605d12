/** Ids that EC2 and SQS generate. */
const DRAWN = /\b(?:i|lt)-[0-9a-f]{8,17}\b|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Makes answers of two clouds comparable: replaces ids by the order of their first appearance, and sorts unordered lists. */
export class Names {
  /** Names by the cloud's ids. */
  readonly #given: ReadonlyMap<string, string>;
  readonly #drawn = new Map<string, string>();

  /** @param given the cloud's ids by name */
  constructor(given: ReadonlyMap<string, string>) {
    this.#given = new Map([...given].map(([name, id]) => [id, `<${name}>`]));
  }

  canonical(value: unknown): unknown {
    if (Array.isArray(value))
      return value.map((one) => this.canonical(one)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, this.canonical(one)]])));
    if (typeof value !== 'string') return value;
    return this.#given.get(value) ?? value.replaceAll(DRAWN, (id) => this.#place(id));
  }

  #place(id: string): string {
    let known = this.#drawn.get(id);
    if (known === undefined) this.#drawn.set(id, (known = `<id ${this.#drawn.size + 1}>`));
    return known;
  }
}
