import { StatusError } from './status.ts';

/** How objects are represented: whole, as rows of a table, or only by their metadata (one object, or a list). */
export type Representation = 'object' | 'table' | 'metadata' | 'metadata-list';

/** One media type of an Accept header, with its parameters. */
export interface MediaType {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The formats of answers, in the order of preference where a client accepts several alike. */
const FORMATS = { json: 'application/json', yaml: 'application/yaml', protobuf: 'application/vnd.kubernetes.protobuf' } as const;
export type Format = keyof typeof FORMATS;

/** How a client gets its answer. */
export interface Negotiated {
  readonly format: Format;
  readonly representation: Representation;
}

/** What a request asks for, as far as it decides which answers it can get. */
export interface Asked {
  /** Custom objects have no protobuf, except their metadata. */
  readonly custom: boolean;
  /** A list or a watch. */
  readonly collection: boolean;
  readonly watch: boolean;
}

/** What a client requests with the parameter `as` of group meta.k8s.io. */
const KINDS: Readonly<Record<string, Representation>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata-list',
};

/**
 * The media types of an Accept header in the order of `goautoneg`: by `q`, but a type goes before `*` whatever its `q`, then by
 * position.
 */
export function parseAccept(header: string | undefined): MediaType[] {
  const sorted: MediaType[] = [];
  for (const one of (header ?? '').split(',').map(readMediaType)) {
    if (one.type === '') continue;
    let at = sorted.length;
    for (let before = sorted[at - 1]; before !== undefined && isBefore(one, before); before = sorted[at - 1]) at -= 1;
    sorted.splice(at, 0, one);
  }
  return sorted;
}

function isBefore(a: MediaType, b: MediaType): boolean {
  const weight = ({ parameters }: MediaType): number => Number(parameters['q'] ?? 1);
  const isOpen = ({ type }: MediaType, end: RegExp): boolean => end.test(type);
  return weight(a) > weight(b) || [/^\*/, /\*$/].some((end) => !isOpen(a, end) && isOpen(b, end));
}

/** Parses one media type, e.g. of a Content-Type header. */
export function readMediaType(text: string): MediaType {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const pairs = parameters.map((parameter) => {
    const at = parameter.indexOf('=');
    return [parameter.slice(0, at), parameter.slice(at + 1)] as const;
  });
  return { type: type.toLowerCase(), parameters: Object.fromEntries(pairs) };
}

/**
 * Chooses among what a client accepts, as `NegotiateMediaTypeOptions` of `k8s.io/apiserver` does.
 * @throws StatusError 406 if the client accepts nothing that is available
 */
export function negotiate(header: string | undefined, asked: Asked): Negotiated {
  if (!asked.custom && !isRouted(header)) throw notRouted(asked.collection);
  const found = choose(header, (format, { as, g, v }) => {
    if (as === undefined && g === undefined && v === undefined) return asked.custom && format === 'protobuf' ? undefined : 'object';
    const kind = as !== undefined && Object.hasOwn(KINDS, as) ? KINDS[as] : undefined;
    if (kind === undefined || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
    return kind === 'table' && format === 'protobuf' ? undefined : kind;
  });
  if (found === undefined) throw notAcceptable(Object.values(FORMATS));
  if (asked.watch && found.format === 'yaml') throw notAcceptable(STREAMED);
  return found;
}

/** The format of a Status or a document: JSON if the client accepts neither. */
export function plainFormat(header: string | undefined): Format {
  return choose(header, (_format, { as, g, v }) => ((as ?? g ?? v) === undefined ? 'object' : undefined))?.format ?? 'json';
}

/** The first format and representation that the client accepts. */
function choose(
  header: string | undefined,
  offer: (format: Format, parameters: MediaType['parameters']) => Representation | undefined,
): Negotiated | undefined {
  if ((header ?? '').trim() === '') return { format: 'json', representation: 'object' };
  for (const { type, parameters } of parseAccept(header)) {
    const { stream = '', sv = '' } = parameters;
    for (const format of Object.keys(FORMATS) as Format[]) {
      if (![FORMATS[format], 'application/*', '*/*'].includes(type)) continue;
      if (sv !== '' || (stream !== '' && (stream !== 'watch' || format === 'yaml'))) continue;
      const representation = offer(format, parameters);
      if (representation !== undefined) return { format, representation };
    }
  }
  return undefined;
}

/** Whether the router finds a route for the header: it knows the types themselves and the one wildcard. */
export function isRouted(header: string | undefined, types: readonly string[] = Object.values(FORMATS)): boolean {
  const accepted = (header ?? '').split(',').map((one) => one.split(';', 1).join('').trim());
  return (header ?? '').trim() === '' || accepted.some((type) => type === '*/*' || types.includes(type));
}

/** Whether a client prefers JSON of this kind of answer to plain JSON. */
export function prefersKind(header: string | undefined, group: string, kind: string, version: string): boolean {
  for (const { type, parameters } of parseAccept(header)) {
    if (![FORMATS.json, 'application/*', '*/*'].includes(type)) continue;
    if (parameters['as'] === undefined) return false;
    if (parameters['as'] === kind && parameters['g'] === group && parameters['v'] === version) return true;
  }
  return false;
}

/**
 * An Accept header reduced to JSON, so that the answer is readable on its way; the same header if it asks only for JSON.
 * Protobuf alone becomes JSON of the same kind: clients decode an answer by its content type.
 */
export function onlyJson(header: string | undefined): string | undefined {
  const types = (header ?? '').split(',');
  if (!types.some((type) => type.includes(PROTOBUF))) return header;
  const inJson = types.filter((type) => type.includes('json'));
  return (inJson.length > 0 ? inJson : types.map((type) => type.replace(PROTOBUF, 'application/json'))).join(',');
}

const PROTOBUF = FORMATS.protobuf;
const STREAMED = [`${FORMATS.json};stream=watch`, `${FORMATS.protobuf};stream=watch`];

/** The content type of an answer. */
export function contentTypeOf(format: Format): string {
  return FORMATS[format];
}

function notAcceptable(types: readonly string[]): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

/** The refusal of the router, which knows types but not their parameters. */
function notRouted(collection: boolean): StatusError {
  return noRepresentation(collection ? [...Object.values(FORMATS), ...STREAMED] : Object.values(FORMATS));
}

/** @param types the media types of the path */
export function noRepresentation(types: readonly string[] = Object.values(FORMATS)): StatusError {
  return new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {});
}
