import { AwsEc2QueryProtocol, XmlShapeDeserializer } from '@aws-sdk/core/protocols';
import { FromStringShapeDeserializer } from '@smithy/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import { asText } from '../wire/wire.ts';
import { isDecoded } from './decoded-body.ts';

type Schema = Parameters<XmlShapeDeserializer['read']>[0];
type Settings = ConstructorParameters<typeof XmlShapeDeserializer>[0];
type ProtocolOptions = ConstructorParameters<typeof AwsEc2QueryProtocol>[0];

/**
 * The SDK's protocol with a faster reader, and none for an answer of the same process, which is already decoded. A list of all instance types is 4.4 MB, a large cluster's instances are more, and both
 * are read again and again: with the SDK's own reader this takes most of a trial. An answer that this reader does not expect
 * (attributes, comments, mixed text) goes to the SDK's reader, so the result is the same, except for members that nothing
 * uses (`LEFT_OUT`).
 */
export class Ec2Protocol extends AwsEc2QueryProtocol {
  constructor(options: ProtocolOptions) {
    super(options);
    this.deserializer = new FastDeserializer(this.deserializer.settings);
  }

  /** The body that `serializeRequest` writes, in one turn. */
  write(action: string, schema: Schema, input: object): string {
    this.serializer.write(schema, input);
    return `Action=${action}&Version=${this.options.version}${asText(this.serializer.flush())}`;
  }
}

/** Reads structures in one pass over the text. Each schema is compiled into a reader at first use. */
export class FastDeserializer extends XmlShapeDeserializer {
  readonly #readers = new Map<unknown, Read>();
  readonly #scalars: FromStringShapeDeserializer;

  constructor(settings: Settings) {
    super(settings);
    this.#scalars = new FromStringShapeDeserializer(settings);
  }

  override read(schema: Schema, bytes: Uint8Array | string, key?: string): unknown {
    const shape = NormalizedSchema.of(schema);
    if (key !== undefined || !shape.isStructSchema()) return super.read(schema, bytes, key) as unknown;
    if (isDecoded(bytes)) return bytes.decoded;
    const text = typeof bytes === 'string' ? bytes : UTF8.decode(bytes);
    try {
      const scanner = new Scanner(text);
      scanner.enterRoot();
      return this.#readerOf(shape)(scanner);
    } catch (error) {
      if (error instanceof UnexpectedXml) return super.read(schema, bytes, key) as unknown;
      throw error;
    }
  }

  #readerOf(schema: NormalizedSchema): Read {
    if (schema.isStructSchema()) return this.#structure(schema);
    if (schema.isListSchema()) return this.#list(schema);
    if (schema.isStringSchema()) return (scanner) => scanner.text();
    if (schema.isBooleanSchema()) return (scanner) => scanner.text().toLowerCase() === 'true';
    if (schema.isNumericSchema()) return (scanner) => Number(scanner.text());
    return (scanner) => this.#scalars.read(schema, scanner.text()) as unknown;
  }

  #structure(schema: NormalizedSchema): Read {
    const key = schema.getSchema();
    const known = this.#readers.get(key);
    if (known !== undefined) return known;
    // Members are compiled at first use: structures may contain themselves, and most never occur.
    let members: ReadonlyMap<string, Member> | undefined;
    let first: Member | undefined;
    const read: Read = (scanner) => {
      members ??= membersOf(schema);
      const result: Record<string, unknown> = {};
      // Structures in a list look alike: the member that followed this one last time is tried first.
      let guess = first;
      for (let last: Member | undefined; ;) {
        let member = guess !== undefined && scanner.enter(guess.tag) ? guess : undefined;
        if (member === undefined) {
          const tag = scanner.child();
          if (tag === undefined) return result;
          member = members.get(tag);
          if (member === undefined) {
            scanner.skip();
            continue;
          }
          if (last === undefined) first = member;
          else last.next = member;
        }
        if (member.isLeftOut) {
          scanner.skipTo(member.tag);
        } else {
          if (member.name in result) throw new UnexpectedXml();
          member.read ??= this.#readerOf(member.schema);
          result[member.name] = member.read(scanner);
        }
        last = member;
        guess = member.next;
      }
    };
    this.#readers.set(key, read);
    return read;
  }

  #list(schema: NormalizedSchema): Read {
    if (schema.getMergedTraits().xmlFlattened !== undefined) throw new UnexpectedXml();
    const item = schema.getValueSchema();
    const itemTag = tagOf(item.getMergedTraits().xmlName ?? 'member');
    let readItem: Read | undefined;
    return (scanner) => {
      readItem ??= this.#readerOf(item);
      const items: unknown[] = [];
      for (;;) {
        if (!scanner.enter(itemTag)) {
          const tag = scanner.child();
          if (tag === undefined) return items;
          if (tag !== itemTag.name) {
            scanner.skip();
            continue;
          }
        }
        items.push(readItem(scanner));
      }
    };
  }
}

/** By structure: members of instance types that no autoscaler here uses, most of their text. None contains itself. */
const LEFT_OUT: Readonly<Record<string, ReadonlySet<string>>> = {
  InstanceTypeInfo: new Set([
    'EbsInfo',
    'FpgaInfo',
    'InferenceAcceleratorInfo',
    'InstanceStorageInfo',
    'MediaAcceleratorInfo',
    'NeuronInfo',
    'NitroTpmInfo',
    'PlacementGroupInfo',
    'SupportedBootModes',
  ]),
  NetworkCardInfo: new Set(['InterfaceTypes']),
};

/** An element's name, and its opening and closing tags. */
interface Tag {
  readonly name: string;
  readonly open: string;
  readonly close: string;
}

function tagOf(name: string): Tag {
  return { name, open: `<${name}>`, close: `</${name}>` };
}

interface Member {
  readonly name: string;
  readonly tag: Tag;
  readonly schema: NormalizedSchema;
  readonly isLeftOut: boolean;
  /** Compiled at first use. */
  read: Read | undefined;
  /** The member that followed it last time. */
  next: Member | undefined;
}

function membersOf(schema: NormalizedSchema): Map<string, Member> {
  const leftOut = LEFT_OUT[schema.getName() ?? ''];
  return new Map(
    [...schema.structIterator()].map(([name, member]) => {
      const tag = tagOf(member.getMemberTraits().xmlName ?? name);
      return [tag.name, { name, tag, schema: member, isLeftOut: leftOut?.has(name) ?? false, read: undefined, next: undefined }];
    }),
  );
}

/** Reads the content of the element that the scanner has just entered, and leaves the element. */
type Read = (scanner: Scanner) => unknown;

/** The answer is not the simple XML that EC2 writes. */
class UnexpectedXml extends Error {}

const UTF8 = new TextDecoder();
const HEADER = /^(?:<\?xml[^>]*\?>)?\s*/;
const NAME = /^[A-Za-z][A-Za-z0-9]*$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A position in XML whose elements contain either elements or text, and have no attributes except at the root. */
class Scanner {
  readonly #text: string;
  #at = 0;
  /** The closing tags of the enclosing elements. */
  readonly #closes: string[] = [];
  /** The last element entered was `<tag/>`: it has no content. */
  #isEmpty = false;

  constructor(text: string) {
    this.#text = text;
  }

  enterRoot(): void {
    const header = HEADER.exec(this.#text)?.[0].length ?? 0;
    const end = this.#text.indexOf('>', header);
    const tag = /^<([A-Za-z][A-Za-z0-9]*)(?: xmlns="[^"<>]*")?$/.exec(this.#text.slice(header, end))?.[1];
    if (end === -1 || tag === undefined) throw new UnexpectedXml();
    this.#closes.push(tagOf(tag).close);
    this.#at = end + 1;
  }

  /** Enters the next child if it has this tag and starts exactly here. */
  enter({ open, close }: Tag): boolean {
    if (this.#isEmpty || !this.#text.startsWith(open, this.#at)) return false;
    this.#closes.push(close);
    this.#at += open.length;
    return true;
  }

  /** Enters the next child of the current element and returns its tag. If there is none, leaves the element. */
  child(): string | undefined {
    if (this.#isEmpty) return this.#leaveEmpty();
    const at = this.#text.indexOf('<', this.#at);
    if (at === -1 || (at > this.#at && this.#text.slice(this.#at, at).trim() !== '')) throw new UnexpectedXml();
    if (this.#text.charCodeAt(at + 1) === SLASH) return this.#leave(at);
    const end = this.#text.indexOf('>', at);
    if (end === -1) throw new UnexpectedXml();
    this.#at = end + 1;
    this.#isEmpty = this.#text.charCodeAt(end - 1) === SLASH;
    const tag = this.#text.slice(at + 1, this.#isEmpty ? end - 1 : end);
    if (!NAME.test(tag)) throw new UnexpectedXml();
    this.#closes.push(tagOf(tag).close);
    return tag;
  }

  /** Returns the text of the current element and leaves it. */
  text(): string {
    if (this.#isEmpty) {
      this.#leaveEmpty();
      return '';
    }
    const end = this.#text.indexOf('<', this.#at);
    if (end === -1) throw new UnexpectedXml();
    const text = this.#text.slice(this.#at, end);
    this.#leave(end);
    // The SDK drops text of blank lines as layout, and normalizes carriage returns.
    if (text.includes('\r') || (text.includes('\n') && text.trim() === '')) throw new UnexpectedXml();
    return text.includes('&') ? text.replace(/&([^;&]*);?/g, decodeEntity) : text;
  }

  /** Skips the rest of the current element and leaves it. */
  skip(): void {
    for (let tag = this.#childOrText(); tag !== undefined; tag = this.#childOrText()) this.skip();
  }

  /** Leaves the current element without parsing it. It must not contain itself. */
  skipTo({ close }: Tag): void {
    if (this.#isEmpty) {
      this.#leaveEmpty();
      return;
    }
    const end = this.#text.indexOf(close, this.#at);
    if (end === -1) throw new UnexpectedXml();
    this.#leave(end);
  }

  #childOrText(): string | undefined {
    if (!this.#isEmpty) this.#at = Math.max(this.#at, this.#text.indexOf('<', this.#at));
    return this.child();
  }

  /** @param at where the current element closes */
  #leave(at: number): undefined {
    const close = this.#closes.pop();
    if (close === undefined || !this.#text.startsWith(close, at)) throw new UnexpectedXml();
    this.#at = at + close.length;
  }

  #leaveEmpty(): undefined {
    this.#isEmpty = false;
    this.#closes.pop();
  }
}

const SLASH = '/'.charCodeAt(0);

function decodeEntity(_all: string, name: string): string {
  const decoded = ENTITIES[name];
  if (decoded !== undefined) return decoded;
  const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
  if (number === null) throw new UnexpectedXml();
  return String.fromCharCode(number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16));
}
