import { isJsonObject } from '../../../protocols/kube/json.ts';
import type { JsonObject } from '../../../protocols/kube/json.ts';
import { CA_BUNDLE, serveWebhooks } from '../../../world/kube/testing/webhook-server.ts';
import type { WebhookReply } from '../../../world/kube/testing/webhook-server.ts';
import type { Send } from './case.ts';

/* The webhooks that the cases call, by their path. Recorder and test serve them alike. */

const PLACES = { url: 'WEBHOOK_URL', ca: 'WEBHOOK_CA' } as const;

/** The client configuration of a webhook of the cases. */
export const clientOf = (path: string): object => ({ url: `${PLACES.url}${path}`, caBundle: PLACES.ca });

const patch = (...operations: readonly object[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const add = (path: string, value: unknown): object => ({ op: 'add', path, value });

/** Between v1, which has a size, and v2, which has a count. */
function converted({ objects, desiredAPIVersion }: JsonObject): JsonObject[] {
  return (objects as JsonObject[]).map((object) => {
    const spec = isJsonObject(object['spec']) ? object['spec'] : {};
    const amount = spec['size'] ?? spec['count'];
    const isNew = String(desiredAPIVersion).endsWith('/v2');
    return { ...object, apiVersion: desiredAPIVersion, spec: amount === undefined ? {} : isNew ? { count: amount } : { size: amount } };
  });
}

const SUCCESS = { status: 'Success' };

/** The parts of a review that do not depend on the server. */
function shown(request: JsonObject): string {
  const { uid: _uid, userInfo: _user, object, oldObject, ...rest } = request;
  const text = JSON.stringify(sorted({ ...rest, object: withoutManagers(object), oldObject: withoutManagers(oldObject) }));
  return text.replaceAll(/made-[a-z0-9]{5}/g, 'made-<drawn>');
}

function withoutManagers(object: unknown): unknown {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) return object;
  const { managedFields: _managers, resourceVersion: _version, ...metadata } = object['metadata'];
  return { ...object, metadata };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

const ANSWERS: Readonly<Record<string, (request: JsonObject) => WebhookReply>> = {
  '/allow': () => ({ allowed: true }),
  '/allow-warning': () => ({ allowed: true, warnings: ['mind the gap', 'mind the gap', 'and the "quotes"'] }),
  '/deny': () => ({ allowed: false, status: { message: 'not today' } }),
  '/deny-warning': () => ({ allowed: false, status: { message: 'not today' }, warnings: ['mind the gap'] }),
  '/deny-bare': () => ({ allowed: false }),
  '/deny-reason': () => ({ allowed: false, status: { reason: 'Forbidden' } }),
  '/deny-code': () => ({
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'no',
      details: { name: 'x', causes: [{ reason: 'FieldValueInvalid', message: 'bad', field: 'data' }] },
    },
  }),
  '/deny-ok': () => ({ allowed: false, status: { code: 200, status: 'Success', message: 'fine' } }),
  '/echo': (request) => ({ allowed: false, status: { message: shown(request) } }),
  '/no-response': () => ({ response: null }),
  '/other-uid': () => ({ response: { uid: 'other', allowed: true } }),
  '/other-kind': (request) => ({ kind: 'ConversionReview', response: { uid: request['uid'], allowed: true } }),
  '/patch-of-validating': () => patch(add('/data', {})),
  '/label': () => patch(add('/metadata/labels/labelled', 'yes')),
  '/no-patch-type': () => ({ allowed: true, patch: 'W10=' }),
  '/no-patch': () => ({ allowed: true, patchType: 'JSONPatch' }),
  '/empty-patch': () => patch(),
  '/same': () => patch(add('/metadata/labels/app', 'a')),
  '/broken-patch': () => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from('{').toString('base64') }),
  '/remove-missing': () => patch({ op: 'remove', path: '/metadata/labels/missing' }),
  '/add-nowhere': () => patch(add('/nothing/here', 1)),
  '/test-fails': () => patch({ op: 'test', path: '/metadata/name', value: 'other' }),
  '/unknown-field': () => patch(add('/noSuchField', 1), add('/data', { a: 'b' })),
  '/invalid-name': () => patch(add('/metadata/labels/app', 'not valid!')),
  '/defaults': () => patch(add('/spec/containers/0/ports', [{ containerPort: 80 }])),
  '/kind-secret': () => patch(add('/kind', 'Secret')),
  '/kind-deployment': () => patch(add('/kind', 'Deployment'), add('/apiVersion', 'apps/v1')),
  '/kind-unknown': () => patch(add('/kind', 'Unknown')),
  '/kind-number': () => patch(add('/kind', 1)),
  '/kind-empty': () => patch(add('/kind', '')),
  '/kind-removed': () => patch({ op: 'remove', path: '/kind' }),
  '/version-unknown': () => patch(add('/apiVersion', 'example.com/v9')),
  '/version-empty': () => patch(add('/apiVersion', '')),
  '/version-removed': () => patch({ op: 'remove', path: '/apiVersion' }, { op: 'remove', path: '/kind' }),
  '/version-v2': () => patch(add('/apiVersion', 'hook-kinds.example.com/v2')),
  '/cpu-1': () => patch(add('/spec/containers/0/resources/limits', { cpu: '1' })),
  '/cpu-9': () => patch(add('/spec/containers/0/resources/limits', { cpu: '9' })),
  '/storage-1': () => patch(add('/spec/resources/requests/storage', '1Gi')),
  '/storage-9': () => patch(add('/spec/resources/requests/storage', '9Gi')),
  '/replicas-text': () => patch(add('/spec/replicas', 'x')),
  '/no-metadata': () => patch(add('/metadata', null)),
  '/replicas': () => patch(add('/spec/replicas', 3)),
  '/count': ({ object }) => {
    const labels = isJsonObject(object) && isJsonObject(object['metadata']) ? object['metadata']['labels'] : {};
    const count = isJsonObject(labels) ? Number(labels['count'] ?? '0') : 0;
    return patch(add('/metadata/labels/count', String(count + 1)));
  },
  '/status-500': () => ({ status: 500, text: 'it broke\n' }),
  '/status-404': () => ({ status: 404, text: 'nothing here' }),
  '/status-json': () => ({ status: 503, text: '{"a":"b"}', type: 'application/json' }),
  '/status-302': () => ({ status: 302, text: 'moved' }),
  '/text': () => ({ status: 200, text: 'ok' }),
  '/empty': () => ({ status: 200, text: '' }),
  '/no-kind': () => ({ status: 200, text: '{"response":{}}', type: 'application/json' }),
  '/convert': (request) => ({ result: SUCCESS, convertedObjects: converted(request) }),
  '/convert-refuse': () => ({ result: { status: 'Failure', message: 'no way' } }),
  '/convert-bare': () => ({ result: { status: 'Failure' } }),
  '/convert-nothing': () => ({ result: SUCCESS, convertedObjects: [] }),
  '/convert-unchanged': ({ objects }) => ({ result: SUCCESS, convertedObjects: objects }),
  '/convert-renamed': (request) => ({
    result: SUCCESS,
    convertedObjects: converted(request).map((object) => ({
      ...object,
      metadata: { ...(object['metadata'] as JsonObject), name: 'other' },
    })),
  }),
  '/hang': () => 'hang',
  '/close': () => 'close',
};

/** Runs `work` with a sender that puts the address of the webhooks into bodies, and takes it out of answers. */
export async function withWebhooks<T>(send: Send, work: (send: Send) => Promise<T>): Promise<T> {
  const server = await serveWebhooks((path, review) => {
    const request = isJsonObject(review['request']) ? review['request'] : {};
    return ANSWERS[path]?.(request) ?? { status: 404, text: 'no such webhook' };
  });
  try {
    return await work(async (method, path, headers, body) => {
      const filled = body?.replaceAll(PLACES.url, server.url).replaceAll(PLACES.ca, CA_BUNDLE);
      const answer = await send(method, path, headers, filled);
      return {
        ...answer,
        text: answer.text.replaceAll(server.url, PLACES.url).replaceAll(server.address, 'WEBHOOK_ADDRESS').replaceAll(CA_BUNDLE, PLACES.ca),
      };
    });
  } finally {
    await server.close();
  }
}
