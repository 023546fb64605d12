import { NormalizedSchema } from '@smithy/core/schema';

/** The members of structures by the SDK's schemas, each compiled at first use: structures may contain themselves, and most never occur. */
export class Structures<Member> {
  readonly #compile: (name: string, member: NormalizedSchema) => Member;
  readonly #known = new Map<unknown, () => readonly Member[]>();

  constructor(compile: (name: string, member: NormalizedSchema) => Member) {
    this.#compile = compile;
  }

  membersOf(schema: NormalizedSchema): () => readonly Member[] {
    const key = schema.getSchema();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let members: readonly Member[] | undefined;
    const compiled = (): readonly Member[] => {
      members ??= [...schema.structIterator()].map(([name, member]) => this.#compile(name, member));
      return members;
    };
    this.#known.set(key, compiled);
    return compiled;
  }
}
