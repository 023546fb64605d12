import { NormalizedSchema } from '@smithy/core/schema';
import { deepFreeze } from '../../model/deep-freeze.ts';
import type { SchemaRef } from './reader.ts';

type Copy = (value: unknown) => unknown;

interface Member {
  readonly name: string;
  readonly copy: Copy;
}

/**
 * Copies answers into what a client reads from their XML (`XmlWriter`), by the SDK's own schemas: for clients in this process, since
 * writing and reading XML takes longer than most requests. Each structure is compiled once, at first use. The copy of a frozen structure
 * is frozen, and kept: a frozen object never changes, and it always has the same schema.
 */
export class AnswerCopier {
  readonly #structures = new Map<unknown, () => readonly Member[]>();
  readonly #copies = new WeakMap<object, object>();

  /** @param value of the SDK's type for that structure */
  copy(schema: SchemaRef, value: object): object {
    return this.#structure(this.#membersOf(NormalizedSchema.of(schema)), value);
  }

  #structure(membersOf: () => readonly Member[], value: object): object {
    if (!Object.isFrozen(value)) return copyMembers(membersOf(), value as Readonly<Record<string, unknown>>);
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    const copy = deepFreeze(copyMembers(membersOf(), value as Readonly<Record<string, unknown>>));
    this.#copies.set(value, copy);
    return copy;
  }

  #copyOf(schema: NormalizedSchema): Copy {
    if (schema.isStructSchema()) {
      const membersOf = this.#membersOf(schema);
      return (value) => this.#structure(membersOf, value as object);
    }
    if (schema.isListSchema()) {
      const copy = this.#copyOf(schema.getValueSchema());
      return (value) => (value as readonly unknown[]).map(copy);
    }
    if (schema.isTimestampSchema()) return (value) => new Date(value as Date);
    if (schema.isBooleanSchema()) return (value) => String(value).toLowerCase() === 'true';
    if (schema.isNumericSchema()) return Number;
    return String;
  }

  #membersOf(schema: NormalizedSchema): () => readonly Member[] {
    const key = schema.getSchema();
    const known = this.#structures.get(key);
    if (known !== undefined) return known;
    let members: readonly Member[] | undefined;
    const compile = (): readonly Member[] => {
      members ??= [...schema.structIterator()].map(([name, member]) => ({ name, copy: this.#copyOf(member) }));
      return members;
    };
    this.#structures.set(key, compile);
    return compile;
  }
}

function copyMembers(members: readonly Member[], value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const { name, copy } of members) {
    const member = value[name];
    if (member !== undefined) copied[name] = copy(member);
  }
  return copied;
}
