import { StatusError } from './status.ts';

/** How objects are represented: whole, as rows of a table, or only by their metadata (one object, or a list). */
export type Representation = 'object' | 'table' | 'metadata' | 'metadata-list';

/** One media type of an Accept header, with its parameters. */
export interface MediaType {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const JSON_TYPES = ['application/json', 'application/*', '*/*'];
/** What a client requests with the parameter `as` of group meta.k8s.io. */
const KINDS: Readonly<Record<string, Representation>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata-list',
};

/** The media types of an Accept header in order of preference (`q`, then position). */
export function parseAccept(header: string | undefined): MediaType[] {
  const types = (header ?? '')
    .split(',')
    .map(readMediaType)
    .filter(({ type }) => type !== '');
  const weight = ({ parameters }: MediaType): number => Number(parameters['q'] ?? 1);
  return types.sort((a, b) => weight(b) - weight(a));
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
 * Chooses among what a client accepts. Answers are JSON: a client that prefers protobuf but also accepts JSON gets JSON.
 * @throws StatusError 406 if the client accepts nothing that is available
 */
export function negotiate(header: string | undefined): Representation {
  const accepted = parseAccept(header);
  if (accepted.length === 0) return 'object';
  for (const { type, parameters } of accepted) {
    if (!JSON_TYPES.includes(type)) continue;
    const { as, g, v } = parameters;
    if (as === undefined) return 'object';
    const kind = Object.hasOwn(KINDS, as) ? KINDS[as] : undefined;
    if (kind !== undefined && g === 'meta.k8s.io' && (v === 'v1' || v === 'v1beta1')) return kind;
  }
  throw notAcceptable(accepted);
}

/** Whether a client prefers JSON of this kind of answer to plain JSON. */
export function prefersKind(header: string | undefined, group: string, kind: string, version: string): boolean {
  for (const { type, parameters } of parseAccept(header)) {
    if (!JSON_TYPES.includes(type)) continue;
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

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** The representations that the real server offers in its refusal. */
const REPRESENTATIONS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const STREAMED = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** The refusal if a client does not accept JSON. For types unknown to the real server, the message is its router's. */
function notAcceptable(accepted: readonly MediaType[]): StatusError {
  if (accepted.some(({ type }) => REPRESENTATIONS.includes(type))) {
    return new StatusError(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  }
  const available = [...REPRESENTATIONS, ...STREAMED].join(', ');
  return new StatusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available}`, {});
}
