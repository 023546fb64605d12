import { defined } from '../../../model/defined.ts';
import type { ApiCase, Step } from './case.ts';

/** Fields that a body has twice, in each format, and what `fieldValidation` says about them. */

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'decoding.example.com';
const TWOFOLDS = `/apis/${GROUP}/v1/namespaces/default/twofolds`;

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

const twice = (name: string): string =>
  `{"metadata":{"name":"${name}","labels":{"a":"1","a":"2"}},"data":{"q":"1","q":"2","q":"3"},"foo":{"b":1,"b":2},` +
  '"kind":"ConfigMap","kind":"ConfigMap"}';
const yamlTwice = (name: string): string =>
  `metadata:\n  name: other\n  name: ${name}\n  labels:\n    a: "1"\n    "a": "2"\nfoo: 1\ndata: {q: "1", q: "2", q: "3"}\n1: 2\ndata: {r: "1"}\n`;

/** A case for each validation, of what is sent to one object. */
function validated(id: string, step: (name: string) => Step, ...before: ((name: string) => Step)[]): ApiCase[] {
  return ['Strict', 'Warn', 'Ignore'].map((validation) => {
    const name = `${id}-${validation.toLowerCase()}`;
    const { path, ...rest } = step(name);
    const asked = `${path}${path.includes('?') ? '&' : '?'}fieldValidation=${validation}`;
    return { id: name, steps: [...before.map((make) => make(name)), { ...rest, path: asked, warnings: true }] };
  });
}

/** The refusal of such a patch has the whole object in it, with its versions. */
const notStrict: typeof validated = (...args) => validated(...args).filter(({ id }) => !id.endsWith('-strict'));

function sent(method: Step['method'], path: string, body: string, contentType: string, look?: readonly string[]): Step {
  return { method, path, body, contentType, ...defined({ look }) };
}

const make = (name: string): Step => sent('POST', MAPS, JSON.stringify({ metadata: { name }, data: { a: '1' } }), JSON_TYPE);
const patch = (kind: string, body: string, query = ''): ((name: string) => Step) => {
  return (name) => sent('PATCH', `${MAPS}/${name}${query}`, body.replaceAll('NAME', name), `application/${kind}`, ['data']);
};
const CONFIGURATION = 'apiVersion: v1\nkind: ConfigMap\ndata: {a: "1", a: "2"}\n';
const LOOK = ['metadata.labels', 'data'];

const DEFINITION = JSON.stringify({
  metadata: { name: `twofolds.${GROUP}` },
  spec: {
    group: GROUP,
    names: { plural: 'twofolds', kind: 'Twofold' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, any: { type: 'object' } } } },
          },
        },
      },
    ],
  },
});

const twofold = (name: string): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"Twofold","metadata":{"name":"${name}","name":"${name}"},"foo":1,` +
  '"spec":{"size":1,"size":2,"any":{"x":1,"x":2},"other":1}}';
const yamlTwofold = (name: string): string =>
  `apiVersion: ${GROUP}/v1\nkind: Twofold\nmetadata:\n  name: ${name}\nspec:\n  size: 1\n  size: 2\n  other: 1\nfoo: 1\n`;

/** JSON with more levels than Go's scanner allows. */
const deep = (name: string, level: '[' | '{"a":' = '['): string => {
  const levels = 10_000;
  const value = level === '[' ? '['.repeat(levels) + ']'.repeat(levels) : level.repeat(levels) + '1' + '}'.repeat(levels);
  return `{"metadata":{"name":"${name}"},"foo":${value}}`;
};

export const DECODING_CASES: readonly ApiCase[] = [
  ...validated('twice-json', (name) => sent('POST', `${MAPS}?dryRun=All`, twice(name), JSON_TYPE, LOOK)),
  ...validated('twice-json-as-yaml', (name) => sent('POST', `${MAPS}?dryRun=All`, twice(name), YAML_TYPE, LOOK)),
  ...validated('twice-yaml', (name) => sent('POST', `${MAPS}?dryRun=All`, yamlTwice(name), YAML_TYPE, LOOK)),
  ...validated(
    'twice-put',
    (name) => sent('PUT', `${MAPS}/${name}`, `{"metadata":{"name":"${name}"},"data":{"a":"1","\\u0061":"2"}}`, JSON_TYPE, LOOK),
    make,
  ),
  ...notStrict('twice-merge', patch('merge-patch+json', '{"data":{"x":"1","x":"2"}}'), make),
  ...notStrict('twice-json-patch', patch('json-patch+json', '[{"op":"add","path":"/data/x","value":"1","value":"2"}]'), make),
  ...validated('twice-apply', patch('apply-patch+yaml', `${CONFIGURATION}metadata: {name: NAME}\n`, '?fieldManager=me')),
  { id: 'apply-without-name', steps: [patch('apply-patch+yaml', CONFIGURATION, '?fieldManager=me')('apply-without-name')] },
  {
    id: 'twice-strategic',
    steps: [
      make('twice-strategic'),
      patch(
        'strategic-merge-patch+json',
        '{"data":{"x":"1","x":"2"},"foo":1,"bar":{"a":1,"a":2}}',
        '?fieldValidation=Strict',
      )('twice-strategic'),
    ],
  },
  {
    id: 'twice-in-lists',
    steps: [
      sent(
        'POST',
        `${MAPS}?fieldValidation=Strict`,
        '{"metadata":{"name":"x","ownerReferences":[{"name":"a","name":"b"}],"managedFields":[{"fieldsV1":{"f:a":{},"f:a":{}}}]}}',
        JSON_TYPE,
      ),
    ],
  },
  {
    id: 'twice-definition',
    steps: [sent('POST', DEFINITIONS, DEFINITION, JSON_TYPE), { method: 'GET', path: TWOFOLDS, look: ['kind'], patient: true }],
  },
  ...validated('twice-custom', (name) => ({ ...sent('POST', TWOFOLDS, twofold(name), JSON_TYPE, ['spec']), patient: true })),
  ...validated('twice-custom-yaml', (name) => ({ ...sent('POST', TWOFOLDS, yamlTwofold(name), YAML_TYPE, ['spec']), patient: true })),
  ...validated('deep-json', (name) => sent('POST', MAPS, deep(name), JSON_TYPE)),
  {
    id: 'deep-json-objects',
    steps: [
      make('deep-json-objects'),
      sent('POST', MAPS, deep('deep-json-objects', '{"a":'), JSON_TYPE),
      sent('PUT', `${MAPS}/deep-json-objects`, deep('deep-json-objects'), JSON_TYPE),
      ...['merge', 'strategic-merge'].map((kind) => patch(`${kind}-patch+json`, deep('deep-json-objects'))('deep-json-objects')),
      patch('json-patch+json', `[{"op":"add","path":"/data","value":${deep('')}}]`)('deep-json-objects'),
      sent('DELETE', `${MAPS}/deep-json-objects`, deep(''), JSON_TYPE),
      sent('DELETE', `${MAPS}/deep-json-objects`, '{', JSON_TYPE),
    ],
  },
];
