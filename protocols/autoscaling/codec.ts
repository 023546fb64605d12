import * as sdk from '@aws-sdk/client-auto-scaling';
import { defined } from '../../model/defined.ts';
import type { Operation } from '../../model/operation.ts';
import { isUnit, operationOf } from '../aws-call/operation-schema.ts';
import { QueryRefusal } from '../aws-query/codec.ts';
import { parseForm } from '../ec2/form.ts';
import type { Parameter } from '../ec2/form.ts';
import { FormReader } from '../ec2/reader.ts';
import { Ec2Refusal } from '../ec2/refusal.ts';
import { XmlWriter, element } from '../ec2/writer.ts';

/** The version (a date) of Auto Scaling's API. */
export const AUTOSCALING_VERSION = '2011-01-01';
export const AUTOSCALING_NAMESPACE = `http://autoscaling.amazonaws.com/doc/${AUTOSCALING_VERSION}/`;

const COMMON_PARAMETER = /^(Action|Version|X-Amz-.*)$/;
const READING = /^(Describe|Get)/;
/** Shared by all codecs: their caches are the same for all of them. */
const READER = new FormReader('member');
const WRITER = new XmlWriter();

/** One decoded request. */
export interface AutoScalingRequest {
  readonly action: string;
  /** Plain JSON in the shape of the SDK's input type, timestamps as ISO text. */
  readonly input: Record<string, unknown>;
}

/** Decodes a request for the history. Never throws: an unreadable request has no input, or is named `unknown`. */
export function describeForm(form: string): Operation {
  const parameters = parseForm(form);
  const action = parameters.children.get('Action')?.value ?? '';
  if (!/^[A-Za-z0-9]{1,100}$/.test(action)) return { wire: 'aws', name: 'unknown', mutating: true };
  return {
    wire: 'aws',
    name: `autoscaling:${action}`,
    mutating: !READING.test(action),
    ...defined({ input: tryRead(action, parameters) }),
  };
}

/** @throws QueryRefusal for an unknown action or malformed parameters */
export function decodeAutoScalingForm(form: string): AutoScalingRequest {
  const parameters = parseForm(form);
  const action = parameters.children.get('Action')?.value ?? '';
  return { action, input: read(action, parameters) };
}

/** The body of a successful answer. @param output the SDK's output type of that action */
export function encodeAutoScalingAnswer(action: string, output: object, requestId: string): string {
  const schema = operationOf(sdk, action);
  if (schema === undefined) throw new Error(`Auto Scaling has no operation ${action}`);
  const result = isUnit(schema.output) ? '' : element(`${action}Result`, WRITER.write(schema.output, output));
  const metadata = element('ResponseMetadata', element('RequestId', requestId));
  return `<${action}Response xmlns="${AUTOSCALING_NAMESPACE}">${result}${metadata}</${action}Response>`;
}

function tryRead(action: string, parameters: Parameter): Record<string, unknown> | undefined {
  try {
    return read(action, parameters);
  } catch (error) {
    if (error instanceof QueryRefusal) return undefined;
    throw error;
  }
}

function read(action: string, parameters: Parameter): Record<string, unknown> {
  const schema = operationOf(sdk, action);
  if (schema === undefined)
    throw new QueryRefusal('InvalidAction', `Could not find operation ${action} for version ${AUTOSCALING_VERSION}`);
  const children = new Map([...parameters.children].filter(([name]) => !COMMON_PARAMETER.test(name)));
  try {
    return isUnit(schema.input) ? {} : READER.read(schema.input, { children });
  } catch (error) {
    if (error instanceof Ec2Refusal) throw new QueryRefusal('MalformedInput', error.message);
    throw error;
  }
}
