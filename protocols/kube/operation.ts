import { defined } from '../../model/defined.ts';
import type { ObjectName, Operation } from '../../model/operation.ts';
import { decodeBody } from './body.ts';
import { isJsonObject } from './json.ts';
import { parseKubeRequest } from './request.ts';
import type { KubeRequest } from './request.ts';
import type { KubeTypes } from './types.ts';

const READS: readonly string[] = ['get', 'list', 'watch'];

/**
 * Decodes a request on the Kubernetes wire. Never throws. A request that is not for a resource is named by method and path:
 * `get /version`.
 * @param types needed to decode protobuf bodies; without them these stay undecoded
 */
export function describeKubeRequest(
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
  },
  types?: KubeTypes,
): Operation {
  const input = tryDecoding(request.body, request.headers?.['content-type'], types);
  const body = input === undefined ? {} : { input };
  const parsed = parseKubeRequest(request.method, request.path);
  if (parsed === undefined) {
    const pathname = request.path.split('?', 1).join('');
    const mutating = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    return { wire: 'kube', name: `${request.method.toLowerCase()} ${pathname}`, mutating, ...body };
  }
  return {
    wire: 'kube',
    name: `${parsed.verb} ${parsed.resource}${parsed.subresource === undefined ? '' : `/${parsed.subresource}`}`,
    mutating: !READS.includes(parsed.verb) && !isDryRun(parsed, input),
    object: objectOf(parsed, input),
    ...(parsed.group === '' ? {} : { group: parsed.group }),
    ...body,
  };
}

/** A dry run may be requested in the query or, for deletions and evictions, in the body. */
function isDryRun(request: KubeRequest, input: unknown): boolean {
  if (request.options.dryRun !== undefined) return true;
  const options = request.subresource === 'eviction' && isJsonObject(input) ? input.deleteOptions : input;
  return isJsonObject(options) && Array.isArray(options.dryRun) && options.dryRun.length > 0;
}

function objectOf(request: KubeRequest, input: unknown): ObjectName {
  const name = request.name ?? (request.verb === 'create' ? nameIn(input) : undefined);
  return {
    resource: request.resource,
    ...defined({ namespace: request.namespace, name }),
  };
}

function nameIn(input: unknown): string | undefined {
  const metadata = isJsonObject(input) ? input.metadata : undefined;
  const name = isJsonObject(metadata) ? metadata.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function tryDecoding(body: string | Uint8Array | undefined, contentType: string | undefined, types: KubeTypes | undefined): unknown {
  if (body === undefined || body.length === 0) return undefined;
  try {
    return decodeBody(body, contentType, types);
  } catch {
    return undefined;
  }
}
