import { NormalizedSchema } from '@smithy/core/schema';
import type { SchemaRef } from './reader.ts';

/** Writes one value as an element of that name. */
type Write = (value: unknown, tag: string) => string;

interface Member {
  readonly name: string;
  readonly tag: string;
  readonly write: Write;
}

/**
 * Writes answers as XML by the SDK's own schemas. Each structure is compiled once, at first use. The XML of a frozen
 * structure is cached: a frozen object never changes, nor does anything in it, and it always has the same schema.
 */
export class XmlWriter {
  readonly #structures = new Map<unknown, () => readonly Member[]>();
  readonly #constants = new WeakMap<object, string>();

  /** The members of a structure as elements, in the model's order. @param value of the SDK's type for that structure */
  write(schema: SchemaRef, value: object): string {
    return this.#structure(this.#membersOf(NormalizedSchema.of(schema)), value);
  }

  #structure(membersOf: () => readonly Member[], value: object): string {
    if (!Object.isFrozen(value)) return writeMembers(membersOf(), value as Readonly<Record<string, unknown>>);
    const known = this.#constants.get(value);
    if (known !== undefined) return known;
    const text = writeMembers(membersOf(), value as Readonly<Record<string, unknown>>);
    this.#constants.set(value, text);
    return text;
  }

  #writerOf(schema: NormalizedSchema): Write {
    if (schema.isStructSchema()) {
      const membersOf = this.#membersOf(schema);
      return (value, tag) => element(tag, this.#structure(membersOf, value as object));
    }
    if (schema.isListSchema()) {
      const item = schema.getValueSchema();
      const itemTag = item.getMergedTraits().xmlName ?? 'member';
      const write = this.#writerOf(item);
      return (value, tag) => element(tag, (value as readonly unknown[]).map((one) => write(one, itemTag)).join(''));
    }
    if (schema.isTimestampSchema()) return (value, tag) => element(tag, (value as Date).toISOString());
    return (value, tag) => element(tag, escapeXml(String(value)));
  }

  #membersOf(schema: NormalizedSchema): () => readonly Member[] {
    const key = schema.getSchema();
    const known = this.#structures.get(key);
    if (known !== undefined) return known;
    let members: readonly Member[] | undefined;
    const compile = (): readonly Member[] => {
      members ??= [...schema.structIterator()].map(([name, member]) => ({
        name,
        tag: member.getMergedTraits().xmlName ?? name,
        write: this.#writerOf(member),
      }));
      return members;
    };
    this.#structures.set(key, compile);
    return compile;
  }
}

function writeMembers(members: readonly Member[], value: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const { name, tag, write } of members) {
    const member = value[name];
    if (member !== undefined) text += write(member, tag);
  }
  return text;
}

/** One element. @param content already escaped */
export function element(tag: string, content: string): string {
  return content === '' ? `<${tag}/>` : `<${tag}>${content}</${tag}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // Parsers turn these into plain line feeds, or drop them at the edges.
  '\r': '&#x0D;',
  '\n': '&#x0A;',
};

/** Escapes text for use in an element. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\r\n]/g, (character) => ESCAPES[character] ?? character);
}
