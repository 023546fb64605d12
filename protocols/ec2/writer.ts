import { NormalizedSchema } from '@smithy/core/schema';
import { keptIfFrozen } from '../../model/of-frozen.ts';
import type { SchemaRef } from './reader.ts';
import { Structures } from './structures.ts';

/** Writes one value as an element of that name. */
type Write = (value: unknown, tag: string) => string;

interface Member {
  readonly name: string;
  readonly tag: string;
  readonly write: Write;
}

/**
 * Writes answers as XML by the SDK's own schemas. The XML of a frozen structure is kept.
 */
export class XmlWriter {
  readonly #structures = new Structures<Member>((name, member) => ({
    name,
    tag: member.getMergedTraits().xmlName ?? name,
    write: this.#writerOf(member),
  }));
  readonly #constants = new WeakMap<object, string>();

  /** The members of a structure as elements, in the model's order. @param value of the SDK's type for that structure */
  write(schema: SchemaRef, value: object): string {
    return this.#structure(this.#structures.membersOf(NormalizedSchema.of(schema)), value);
  }

  #structure(membersOf: () => readonly Member[], value: object): string {
    return keptIfFrozen(this.#constants, value, () => writeMembers(membersOf(), value as Readonly<Record<string, unknown>>));
  }

  #writerOf(schema: NormalizedSchema): Write {
    if (schema.isStructSchema()) {
      const membersOf = this.#structures.membersOf(schema);
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
