import { parseForm } from '../ec2/form.ts';
import type { Parameter } from '../ec2/form.ts';
import { element, escapeXml } from '../ec2/writer.ts';

/**
 * The AWS query protocol as IAM and STS speak it: forms in, XML out. It differs from EC2's: answers lie in a wrapper named
 * after the action, lists are of `member` elements, and errors have a type. Source: "AWS query protocol" of the Smithy
 * documentation.
 */
export const QUERY_CONTENT_TYPE = 'text/xml';

/** What an answer is made of: text, numbers, lists and structures. Absent members are left out. */
export type QueryValue = string | number | boolean | readonly QueryValue[] | { readonly [name: string]: QueryValue | undefined };

/** What a request asks for. */
export interface QueryRequest {
  readonly action: string;
  /** Parameters as the action's input names them: text, lists, structures. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Which API, of which date, a request is for; undefined for one that is no form. */
export function versionOf(form: string): string | undefined {
  return /(?:^|&)Version=([0-9-]{10})(?:&|$)/.exec(form)?.[1];
}

/** Reads a form. The action of one that names none is empty. */
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

/** The body of a successful answer. @param output undefined for actions that answer nothing: they have no wrapper */
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

/** A service that speaks the query protocol refuses a request. */
export class QueryRefusal extends Error {
  readonly code: string;
  /** Of HTTP. */
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

/** Code and message of an error answer as this module writes it; what has neither (a proxy's page) is its own message. */
export function describeQueryError(body: string): { readonly code?: string; readonly note: string } {
  const [code, message] = ['Code', 'Message'].map((tag) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1]);
  return code === undefined ? { note: body } : { code, note: unescape(message ?? '') };
}

function unescape(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_all, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
