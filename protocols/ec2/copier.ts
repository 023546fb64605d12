import { NormalizedSchema } from '@smithy/core/schema';
import { fromBase64 } from '@smithy/core/serde';
import { keptIfFrozen } from '../../model/of-frozen.ts';
import { isUnit, operationOf } from '../aws-call/operation-schema.ts';
import { Structures } from './structures.ts';

type Copy = (value: unknown) => unknown;

interface Member {
  readonly name: string;
  readonly copy: Copy;
}

/**
 * Copies answers into what a client reads from their XML (`XmlWriter`) or JSON, by the SDK's own schemas: for clients in this process, since
 * writing and reading XML takes longer than most requests. The copy of a frozen structure is frozen, and kept.
 */
export class AnswerCopier {
  readonly #sdk: object;
  readonly #structures = new Structures<Member>((name, member) => ({ name, copy: this.#copyOf(member) }));
  readonly #copies = new WeakMap<object, Record<string, unknown>>();

  /** @param sdk the client's package */
  constructor(sdk: object) {
    this.#sdk = sdk;
  }

  /**
   * Returns undefined for an operation that answers nothing, or only `true`.
   * @param output of the SDK's output type of that action, or, of JSON, as it is there
   */
  copy(action: string, output: object): object | undefined {
    const schema = operationOf(this.#sdk, action);
    if (schema === undefined || isUnit(schema.output)) return undefined;
    return this.#structure(this.#structures.membersOf(NormalizedSchema.of(schema.output)), output);
  }

  #structure(membersOf: () => readonly Member[], value: object): object {
    return keptIfFrozen(this.#copies, value, () => copyMembers(membersOf(), value as Readonly<Record<string, unknown>>));
  }

  #copyOf(schema: NormalizedSchema): Copy {
    if (schema.isStructSchema()) {
      const membersOf = this.#structures.membersOf(schema);
      return (value) => this.#structure(membersOf, value as object);
    }
    if (schema.isListSchema()) {
      const copy = this.#copyOf(schema.getValueSchema());
      return (value) => (value as readonly unknown[]).map(copy);
    }
    if (schema.isMapSchema()) {
      const copy = this.#copyOf(schema.getValueSchema());
      return (value) => Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, copy(one)]));
    }
    if (schema.isBlobSchema()) return (value) => fromBase64(value as string);
    if (schema.isTimestampSchema()) return (value) => new Date(value as Date);
    if (schema.isBooleanSchema()) return (value) => String(value).toLowerCase() === 'true';
    if (schema.isNumericSchema()) return Number;
    return String;
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
