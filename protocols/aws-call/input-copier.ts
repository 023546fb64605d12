import { NormalizedSchema } from '@smithy/core/schema';
import { isSecret } from '../ec2/reader.ts';
import type { SchemaRef } from '../ec2/reader.ts';
import { Structures } from '../ec2/structures.ts';

/** Undefined where nothing would be written. */
type Copy = (value: unknown) => unknown;

interface Member {
  readonly name: string;
  readonly copy: Copy;
  /** The SDK draws one if there is none, which only the written form has. */
  readonly isToken: boolean;
}

/** A value whose written form is best written: it has an unusual type, or is refused when it is written or read. */
class Unusual extends Error {}

/**
 * Copies the SDK's inputs into what a service reads from their written form, by the SDK's own schemas. Forms (`QueryShapeSerializer` and
 * `FormReader`) have no empty lists and structures, and secrets are not read from them; JSON has all of these.
 */
export class InputCopier {
  readonly #isForm: boolean;
  readonly #structures = new Structures<Member>((name, member) => ({
    name,
    copy: this.#isForm && isSecret(name, member) ? nothing : this.#copyOf(member),
    isToken: member.isIdempotencyToken(),
  }));

  constructor(format: 'form' | 'json') {
    this.#isForm = format === 'form';
  }

  /** @returns undefined if the input has to be written and read, e.g. for a refusal */
  copy(schema: SchemaRef, input: object): Record<string, unknown> | undefined {
    const shape = NormalizedSchema.of(schema);
    if (!shape.isStructSchema()) return undefined;
    try {
      return copyMembers(this.#structures.membersOf(shape)(), input as Readonly<Record<string, unknown>>);
    } catch (error) {
      if (error instanceof Unusual) return undefined;
      throw error;
    }
  }

  #copyOf(schema: NormalizedSchema): Copy {
    if (schema.isStructSchema() && !schema.isUnionSchema()) return this.#structure(schema);
    if (schema.isListSchema()) return this.#list(schema);
    if (schema.isStringSchema()) return this.#isForm ? copyFormText : copyText;
    if (schema.isBooleanSchema()) return copyBoolean;
    if (schema.isNumericSchema()) return copyNumber;
    if (schema.isTimestampSchema() && this.#isForm && ISO_TIMES.has(schema.getSchema())) return copyTime;
    return unusual;
  }

  #structure(schema: NormalizedSchema): Copy {
    const membersOf = this.#structures.membersOf(schema);
    return (value) => {
      if (typeof value !== 'object') return unusual();
      const copied = copyMembers(membersOf(), value as Readonly<Record<string, unknown>>);
      return this.#isForm && isEmpty(copied) ? undefined : copied;
    };
  }

  #list(schema: NormalizedSchema): Copy {
    const copy = this.#copyOf(schema.getValueSchema());
    return (value) => {
      if (!Array.isArray(value)) return unusual();
      const copied: unknown[] = [];
      for (const item of value as readonly unknown[]) {
        const one = item === undefined || item === null ? undefined : copy(item);
        if (one !== undefined) copied.push(one);
      }
      return this.#isForm && copied.length === 0 ? undefined : copied;
    };
  }
}

/** The SDK's schemas of timestamps that forms have as ISO text: without a format of their own, and with this one. */
const ISO_TIMES: ReadonlySet<unknown> = new Set([4, 5]);

function copyMembers(members: readonly Member[], value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const { name, copy, isToken } of members) {
    const member = value[name] ?? undefined;
    if (member === undefined && isToken) unusual();
    const one = member === undefined ? undefined : copy(member);
    if (one !== undefined) copied[name] = one;
  }
  return copied;
}

function isEmpty(copied: object): boolean {
  for (const _name in copied) return false;
  return true;
}

function nothing(): undefined {
  return undefined;
}

function unusual(): never {
  throw new Unusual();
}

function copyText(value: unknown): string {
  return typeof value === 'string' ? value : unusual();
}

/** Forms can't have half of a surrogate pair. */
function copyFormText(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed() ? value : unusual();
}

function copyBoolean(value: unknown): boolean {
  return typeof value === 'boolean' ? value : unusual();
}

/** Written numbers have no negative zero. */
function copyNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value + 0 : unusual();
}

function copyTime(value: unknown): string {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString().replace('.000Z', 'Z') : unusual();
}
