import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalidParameterValue } from './errors.ts';

/** One attribute of a message. A binary value is base64, as on the wire. */
export const messageAttributeSchema = z.object({
  DataType: z.string().default(''),
  StringValue: z.string().optional(),
  BinaryValue: z.string().optional(),
});
export type MessageAttributes = Readonly<Record<string, z.infer<typeof messageAttributeSchema>>>;

/** Source: "Amazon SQS message metadata". */
const ATTRIBUTES_MAX = 10;
const NAME = /^(?!\.)(?!.*\.\.)(?!.*\.$)(?!AWS\.|Amazon\.)[A-Za-z0-9_.-]{1,256}$/i;
const TYPE = /^(String|Number|Binary)(\..+)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
/** The only one that a sender may set. Source: MessageSystemAttributeValue in the API reference. */
const TRACE_HEADER = 'AWSTraceHeader';

/** @throws JsonRefusal for attributes that SQS does not accept. Source of the wording: answers of SQS quoted by its users */
export function checkAttributes(attributes: MessageAttributes): void {
  const names = Object.keys(attributes);
  if (names.length > ATTRIBUTES_MAX) {
    throw invalidParameterValue(`Number of message attributes [${names.length}] exceeds the allowed maximum [${ATTRIBUTES_MAX}].`);
  }
  for (const [name, { DataType: type, StringValue: text, BinaryValue: binary }] of Object.entries(attributes)) {
    if (!NAME.test(name)) {
      throw invalidParameterValue(
        'Message (user) attribute name can contain only letters, digits, and the characters "_", "-", and "."; it must not start with AWS. or Amazon.',
      );
    }
    const [, kind] = TYPE.exec(type) ?? [];
    if (kind === undefined) {
      throw invalidParameterValue(
        `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
      );
    }
    const [given, other] = kind === 'Binary' ? [binary, text] : [text, binary];
    if (given === undefined || given === '' || other !== undefined) {
      throw invalidParameterValue(`Message (user) attribute '${name}' must contain a non-empty value of type '${kind}'.`);
    }
    if (kind === 'Number' && !NUMBER.test(given)) {
      throw invalidParameterValue(`Can't cast the value of message (user) attribute '${name}' to a number.`);
    }
  }
}

/** @throws JsonRefusal for anything but a trace header */
export function checkSystemAttributes(attributes: MessageAttributes): void {
  for (const [name, { DataType: type, StringValue: text }] of Object.entries(attributes)) {
    if (name !== TRACE_HEADER) throw invalidParameterValue(`Message system attribute name '${name}' is invalid.`);
    if (type !== 'String' || text === undefined || text === '') {
      throw invalidParameterValue(`Message (system) attribute '${name}' must contain a non-empty value of type 'String'.`);
    }
  }
}

/** The attributes that a reception asks for: `All` or `.*`, names, and prefixes as in `prefix.*`. */
export function askedAttributes(attributes: MessageAttributes, names: readonly string[]): MessageAttributes {
  const isAsked = (name: string): boolean =>
    names.some((asked) => asked === 'All' || asked === name || (asked.endsWith('.*') && name.startsWith(asked.slice(0, -'.*'.length))));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAsked(name)));
}

/** Bytes that count towards a message's size: names, types and values. */
export function sizeOf(attributes: MessageAttributes): number {
  return Object.entries(attributes).reduce(
    (sum, [name, attribute]) => sum + Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + valueOf(attribute).length,
    0,
  );
}

/**
 * The MD5 digest of attributes; undefined for none. Source: "Calculating the MD5 message digest for message attributes": by name,
 * each of name, type and value with its length before it, and before the value whether it is text (1) or bytes (2).
 */
export function md5OfAttributes(attributes: MessageAttributes): string | undefined {
  const all = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0) return undefined;
  const hash = createHash('md5');
  const add = (bytes: Uint8Array): void => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const [name, attribute] of all) {
    add(Buffer.from(name));
    add(Buffer.from(attribute.DataType));
    hash.update(Buffer.of(attribute.BinaryValue === undefined ? 1 : 2));
    add(valueOf(attribute));
  }
  return hash.digest('hex');
}

function valueOf({ StringValue: text = '', BinaryValue: binary }: MessageAttributes[string]): Buffer {
  return binary === undefined ? Buffer.from(text) : Buffer.from(binary, 'base64');
}
