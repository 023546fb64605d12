import * as sdk from '@aws-sdk/client-ec2';
import { defined } from '../../model/defined.ts';
import type { Operation } from '../../model/operation.ts';
import { AwsCall } from '../aws-call/call.ts';
import { isUnit, operationOf } from '../aws-call/operation-schema.ts';
import { parseForm } from './form.ts';
import type { Parameter } from './form.ts';
import { FormReader } from './reader.ts';
import { Ec2Refusal, missingParameter } from './refusal.ts';
import { AnswerCopier } from './copier.ts';
import { XmlWriter, element, escapeXml } from './writer.ts';

const EC2_VERSION = '2016-11-15';
export const EC2_CONTENT_TYPE = 'text/xml;charset=UTF-8';

const XML_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = `http://ec2.amazonaws.com/doc/${EC2_VERSION}/`;
/** Parameters of every request, and those of presigned ones: not part of an operation's input. */
const COMMON_PARAMETER = /^(Action|Version|X-Amz-.*)$/;
/** Shared by all codecs: their caches are the same for all of them. */
const WRITER = new XmlWriter();
const COPIER = new AnswerCopier(sdk);
const READING = /^(Describe|Get|List|Search)/;
const utf8 = new TextDecoder();

/** A request as sent on the wire. */
interface FormRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly decoded?: object;
}

/** One decoded request. */
export interface Ec2Request {
  /** e.g. `CreateFleet` */
  readonly action: string;
  /** Plain JSON in the shape of the SDK's input type, timestamps as ISO text and blobs as base64. */
  readonly input: Record<string, unknown>;
}

/**
 * The EC2 Query protocol for every operation that the SDK knows: forms in, XML out, both by the SDK's own schemas
 * (exports that end in `$`). These are semi-internal, so a test does a round trip through the SDK's client.
 */
export class Ec2Codec {
  readonly #reader = new FormReader();

  /** Decodes a request for the history. Never throws: an unreadable request has no input, or is named `unknown`. */
  describe(request: FormRequest): Operation {
    const { decoded } = request;
    if (decoded instanceof AwsCall) return operationNamed(decoded.action, decoded.input);
    const parameters = parseForm(formOf(request));
    const action = parameters.children.get('Action')?.value ?? '';
    if (!/^[A-Za-z0-9]{1,100}$/.test(action)) return { wire: 'aws', name: 'unknown', mutating: true };
    return operationNamed(action, this.#tryRead(action, parameters));
  }

  /** @throws Ec2Refusal if EC2 would refuse the request as malformed */
  decode(request: FormRequest): Ec2Request {
    const { decoded } = request;
    if (decoded instanceof AwsCall) return decoded;
    const parameters = parseForm(formOf(request));
    const action = parameters.children.get('Action')?.value;
    if (action === undefined || action === '') throw new Ec2Refusal('MissingAction', 'The request must contain the parameter Action');
    return { action, input: this.#read(action, parameters) };
  }

  /** The body of a successful answer. @param output the SDK's output type of that action */
  encode(action: string, output: object, requestId: string): string {
    const schema = operationOf(sdk, action);
    if (schema === undefined) throw new Error(`EC2 has no operation ${action}`);
    const members = isUnit(schema.output) ? element('return', 'true') : WRITER.write(schema.output, output);
    return `${XML_HEADER}<${action}Response xmlns="${NAMESPACE}">${element('requestId', requestId)}${members}</${action}Response>`;
  }

  /**
   * The answer as a client reads it from that body; undefined for an operation whose answer is only `true`.
   * @param output the SDK's output type of that action
   */
  copy(action: string, output: object): object | undefined {
    return COPIER.copy(action, output);
  }

  #tryRead(action: string, parameters: Parameter): Record<string, unknown> | undefined {
    try {
      return this.#read(action, parameters);
    } catch (error) {
      if (error instanceof Ec2Refusal) return undefined;
      throw error;
    }
  }

  #read(action: string, parameters: Parameter): Record<string, unknown> {
    const schema = operationOf(sdk, action);
    if (schema === undefined) throw invalidAction(action);
    const children = new Map([...parameters.children].filter(([name]) => !COMMON_PARAMETER.test(name)));
    if (!parameters.children.has('Version')) throw missingParameter('Version');
    return isUnit(schema.input) ? {} : this.#reader.read(schema.input, { children });
  }
}

/** The body of a refusal. Source: "Example error response" in the EC2 API reference. */
export function encodeRefusal(refusal: Ec2Refusal, requestId: string): string {
  const error = element('Code', escapeXml(refusal.code)) + element('Message', escapeXml(refusal.message));
  return `${XML_HEADER}<Response><Errors><Error>${error}</Error></Errors><RequestID>${requestId}</RequestID></Response>`;
}

/** EC2 has no such action, or this world does not emulate it. */
export function invalidAction(action: string): Ec2Refusal {
  return new Ec2Refusal('InvalidAction', `The action ${action} is not valid for this web service.`);
}

/** @param input undefined if it can't be read */
function operationNamed(action: string, input: Record<string, unknown> | undefined): Operation {
  const mutating = !READING.test(action) && input?.['DryRun'] !== true;
  return { wire: 'aws', name: `ec2:${action}`, mutating, ...defined({ input }) };
}

/** The form of a POST, or the query string of a GET. */
function formOf({ method, path, body = '' }: FormRequest): string {
  if (method === 'POST') return typeof body === 'string' ? body : utf8.decode(body);
  const query = path.indexOf('?');
  return query === -1 ? '' : path.slice(query + 1);
}
