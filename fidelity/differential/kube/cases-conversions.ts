import type { ApiCase, Step } from './case.ts';
import { patch, post, remove } from './policy-case.ts';
import { clientOf } from './webhook-answers.ts';

/* Conversion webhooks of CustomResourceDefinitions. Their Things are stored in v1, with a size; in v2 it is a count. */

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const version = (name: string, field: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { [field]: { type: 'integer' } } } } },
  },
});

function definition(group: string, conversion: object): object {
  return {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [version('v1', 'size', true), version('v2', 'count', false)],
      conversion,
    },
  };
}

/** @param steps their paths begin with `v1` or `v2` */
function conversionCase(
  id: string,
  client: object,
  steps: (thing: (v: string, name: string, spec: object) => object) => readonly Step[],
): ApiCase {
  const group = `${id}.example.com`;
  const thing = (v: string, name: string, spec: object): object => ({
    apiVersion: `${group}/${v}`,
    kind: 'Thing',
    metadata: { name },
    spec,
  });
  const inGroup = (step: Step): Step => ({ ...step, path: `/apis/${group}/${step.path.slice(0, 2)}/things${step.path.slice(2)}` });
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: client, conversionReviewVersions: ['v1'] } };
  return {
    id,
    steps: [
      post(DEFINITIONS, definition(group, conversion)),
      { ...inGroup(post('v1', thing('v1', 'first', { size: 1 }))), patient: true },
      ...steps(thing).map(inGroup),
      remove(`${DEFINITIONS}/things.${group}`),
    ],
  };
}

const get = (path: string, ...look: readonly string[]): Step => ({ method: 'GET', path, look });
/** One read of an object in the version that is not stored. */
const answer = (path: string): ApiCase => conversionCase(`conversion-${path.slice(1)}`, clientOf(path), () => [get('v2/first')]);

const dry = (id: string, conversion: object): ApiCase => ({
  id,
  steps: [post(`${DEFINITIONS}?dryRun=All`, definition(`${id}.example.com`, conversion), ['spec.conversion'])],
});

export const CONVERSION_CASES: readonly ApiCase[] = [
  conversionCase('conversion-works', clientOf('/convert'), (thing) => [
    get('v2/first', 'apiVersion', 'spec', 'metadata.generation'),
    { ...post('v2', thing('v2', 'second', { count: 2 })), look: ['apiVersion', 'spec'] },
    get('v1/second', 'apiVersion', 'spec'),
    get('v2', 'items.0.apiVersion', 'items.0.spec', 'items.1.spec', 'items.#'),
    patch('v2/first', { spec: { count: 5 } }, { look: ['spec', 'metadata.generation'] }),
    get('v1/first', 'spec', 'metadata.generation'),
    patch('v2/first', { spec: { count: 'x' } }),
    { method: 'PUT', path: 'v2/second', body: thing('v2', 'second', { count: 3 }) },
    { ...remove('v2/second'), look: ['status'] },
    get('v1', 'items.#'),
  ]),
  conversionCase('conversion-unreachable', { url: 'https://127.0.0.1:1/convert' }, (thing) => [
    get('v2/first'),
    get('v1/first', 'spec'),
    post('v2', thing('v2', 'second', { count: 2 })),
    patch('v2/first', { spec: { count: 5 } }),
    remove('v2/first'),
  ]),
  answer('/convert-refuse'),
  answer('/convert-bare'),
  answer('/convert-nothing'),
  answer('/convert-unchanged'),
  answer('/convert-renamed'),
  answer('/no-response'),
  answer('/status-500'),
  dry('conversion-no-client', { strategy: 'Webhook' }),
  dry('conversion-defaults', {
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { name: 's', namespace: 'n' } }, conversionReviewVersions: ['v1'] },
  }),
  dry('conversion-versions', { strategy: 'Webhook', webhook: { clientConfig: { url: 'http://a' }, conversionReviewVersions: ['v3'] } }),
  dry('conversion-none', { strategy: 'None', webhook: { clientConfig: { url: 'https://a.b' }, conversionReviewVersions: ['v1'] } }),
  dry('conversion-strategy', { strategy: 'Some' }),
];
