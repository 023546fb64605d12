import { serializationRefusal } from './refusal.ts';
import type { JsonRefusal } from './refusal.ts';

/**
 * The AWS JSON 1.0 protocol: the operation in a header, plain JSON in both bodies, errors named by their shape. Services that
 * used the query protocol before also send its error code in a header. Source: "AWS JSON 1.0 protocol" and "AWS Query
 * compatible" of the Smithy documentation.
 */
export const AWS_JSON_CONTENT_TYPE = 'application/x-amz-json-1.0';
export const TARGET_HEADER = 'x-amz-target';
/**
 * The header with the error's name in REST-JSON, where method and path give the operation.
 * Source: "AWS restJson1 protocol" of the Smithy documentation.
 */
export const ERROR_TYPE_HEADER = 'x-amzn-errortype';
const QUERY_ERROR_HEADER = 'x-amzn-query-error';

type Headers = Readonly<Record<string, string>>;

/** The action in a request to this service: `AmazonSQS.ReceiveMessage` is `ReceiveMessage` of `AmazonSQS`. */
export function actionOf(headers: Headers, service: string): string | undefined {
  const [name, action, ...rest] = (headers[TARGET_HEADER] ?? '').split('.');
  return name === service && rest.length === 0 && action !== undefined && /^[A-Za-z0-9]{1,100}$/.test(action) ? action : undefined;
}

/** The members of a request's input. @throws JsonRefusal when the body is not a JSON object */
export function decodeInput(body: string): Record<string, unknown> {
  let input: unknown;
  try {
    input = JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw serializationRefusal('The request body is not JSON.');
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw serializationRefusal('Start of structure or map found where not expected.');
  }
  return input as Record<string, unknown>;
}

/** Body and headers of a refusal. */
export function encodeRefusal({ type, queryCode, message, status }: JsonRefusal): { readonly body: string; readonly headers: Headers } {
  return {
    body: JSON.stringify({ __type: type, message }),
    headers: { [QUERY_ERROR_HEADER]: `${queryCode};${status < 500 ? 'Sender' : 'Receiver'}` },
  };
}

/** Code and message of an error answer. For a body that is not JSON (a proxy's page), the message is the body. */
export function describeError(body: string): { readonly code?: string; readonly note: string } {
  try {
    const { __type: type, message } = JSON.parse(body) as { __type?: unknown; message?: unknown };
    if (typeof type !== 'string') return { note: body };
    return { code: type.slice(type.indexOf('#') + 1), note: typeof message === 'string' ? message : '' };
  } catch {
    return { note: body };
  }
}
