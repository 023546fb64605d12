import { parseForm } from '../ec2/form.ts';
import type { Parameter } from '../ec2/form.ts';
import { element, escapeXml } from '../ec2/writer.ts';

/**
 * The AWS query protocol of IAM and STS: forms in, XML out. It differs from EC2's: answers have a wrapper element named after
 * the action, lists consist of `member` elements, and errors have a type. Source: "AWS query protocol" of the Smithy
 * documentation.
 */
export const QUERY_CONTENT_TYPE = 'text/xml';

/** A value in an answer: text, number, list or structure. Undefined members are omitted. */
export type QueryValue = string | number | boolean | readonly QueryValue[] | { readonly [name: string]: QueryValue | undefined };

/** A decoded request. */
export interface QueryRequest {
  readonly action: string;
  /** The action's input: text, lists, structures. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The API version (a date) of a request; undefined if the body is not a form. */
export function versionOf(form: string): string | undefined {
  return /(?:^|&)Version=([0-9-]{10})(?:&|$)/.exec(form)?.[1];
}

/** Decodes a form. The action is empty if the form names none. */
export function decodeForm(form: string): QueryRequest {
  const { children } = parseForm(form);
  const input: Record<string, unknown> = {};
  for (const [name, parameter] of children) if (!COMMON.has(name)) input[name] = read(parameter);
  return { action: children.get('Action')?.value ?? '', input };
}

const COMMON: ReadonlySet<string> = new Set(['Action', 'Version']);

function read({ value, children }: Parameter): unknown {
  if (children.size === 0) return value ?? '';
  const members = children.get('member');
  if (members !== undefined) {
    return [...members.children].sort(([a], [b]) => Number(a) - Number(b)).map(([, member]) => read(member));
  }
  return Object.fromEntries([...children].map(([name, child]) => [name, read(child)]));
}

/** The body of a successful answer. @param output undefined for actions without output: their answers have no wrapper */
export function encodeAnswer(
  action: string,
  output: Readonly<Record<string, QueryValue | undefined>> | undefined,
  { namespace, requestId }: { readonly namespace: string; readonly requestId: string },
): string {
  const result = output === undefined ? '' : element(`${action}Result`, write(output));
  const metadata = element('ResponseMetadata', element('RequestId', requestId));
  return `<${action}Response xmlns="${namespace}">${result}${metadata}</${action}Response>`;
}

function write(value: QueryValue): string {
  if (Array.isArray(value)) return (value as readonly QueryValue[]).map((member) => element('member', write(member))).join('');
  if (typeof value !== 'object') return escapeXml(String(value));
  return Object.entries(value as Readonly<Record<string, QueryValue | undefined>>)
    .map(([name, member]) => (member === undefined ? '' : element(name, write(member))))
    .join('');
}

/** The refusal of a request by a service that uses the query protocol. */
export class QueryRefusal extends Error {
  readonly code: string;
  /** The HTTP status. */
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'QueryRefusal';
    this.code = code;
    this.status = status;
  }
}

/** The body of a refusal. */
export function encodeQueryRefusal(
  { code, message, status }: QueryRefusal,
  { namespace, requestId }: { readonly namespace: string; readonly requestId: string },
): string {
  const type = element('Type', status < 500 ? 'Sender' : 'Receiver');
  const error = type + element('Code', escapeXml(code)) + element('Message', escapeXml(message));
  return `<ErrorResponse xmlns="${namespace}">${element('Error', error)}${element('RequestId', requestId)}</ErrorResponse>`;
}

/** Code and message of an error answer as written by this module. For any other body (a proxy's page), the message is the body. */
export function describeQueryError(body: string): { readonly code?: string; readonly note: string } {
  const [code, message] = ['Code', 'Message'].map((tag) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1]);
  return code === undefined ? { note: body } : { code, note: unescape(message ?? '') };
}

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_all, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
