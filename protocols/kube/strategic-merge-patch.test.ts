import { expect, test } from '@playwright/test';
import { strategicMergePatch } from './strategic-merge-patch.ts';
import { loadKubeTypes } from './types.ts';

const types = loadKubeTypes();
const pod = (spec: object): object => ({ spec });
const containers = (...names: string[]): object => ({ containers: names.map((name) => ({ name, image: name })) });

const CASES: Readonly<Record<string, { readonly type?: string; readonly before: object; readonly patch: object; readonly after: object }>> =
  {
    'maps are merged, null deletes': {
      before: { metadata: { labels: { a: '1', b: '2' } } },
      patch: { metadata: { labels: { a: null, c: '3' } } },
      after: { metadata: { labels: { b: '2', c: '3' } } },
    },
    'containers are merged by name': {
      before: pod(containers('a', 'b')),
      patch: pod({ containers: [{ name: 'b', image: 'new' }] }),
      after: pod({
        containers: [
          { name: 'a', image: 'a' },
          { name: 'b', image: 'new' },
        ],
      }),
    },
    'a new element comes in the order of the patch': {
      before: pod(containers('a')),
      patch: pod({ containers: [{ name: 'z', image: 'z' }] }),
      after: pod({
        containers: [
          { name: 'z', image: 'z' },
          { name: 'a', image: 'a' },
        ],
      }),
    },
    'the order of elements can be set': {
      before: pod(containers('a', 'b')),
      patch: pod({ '$setElementOrder/containers': [{ name: 'a' }, { name: 'c' }, { name: 'b' }], containers: [{ name: 'c', image: 'c' }] }),
      after: pod(containers('a', 'c', 'b')),
    },
    'one element can be deleted, or all replaced': {
      before: pod({ ...containers('a', 'b'), volumes: [{ name: 'v', emptyDir: {} }] }),
      patch: pod({
        containers: [{ name: 'a', $patch: 'delete' }],
        volumes: [{ $patch: 'replace' }, { name: 'w', hostPath: { path: '/' } }],
      }),
      after: pod({ ...containers('b'), volumes: [{ name: 'w', hostPath: { path: '/' } }] }),
    },
    'a volume keeps only the retained keys': {
      before: pod({ volumes: [{ name: 'v', emptyDir: {} }] }),
      patch: pod({ volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] }),
      after: pod({ volumes: [{ name: 'v', configMap: { name: 'c' } }] }),
    },
    'tolerations are atomic': {
      before: pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
      patch: pod({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
      after: pod({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
    },
    'taints are atomic': {
      type: 'core.v1.Node',
      before: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      patch: { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } },
      after: { spec: { taints: [{ key: 'b', effect: 'NoExecute' }] } },
    },
    'finalizers are a set': {
      before: { metadata: { finalizers: ['a', 'b'] } },
      patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } },
      after: { metadata: { finalizers: ['c', 'b'] } },
    },
    'finalizers can be removed': {
      before: { metadata: { name: 'n', finalizers: ['a'] } },
      patch: { metadata: { finalizers: null } },
      after: { metadata: { name: 'n' } },
    },
    'conditions are merged by type': {
      type: 'core.v1.Node',
      before: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r' }] } },
      patch: { status: { '$setElementOrder/conditions': [{ type: 'Ready' }], conditions: [{ type: 'Ready', status: 'False' }] } },
      after: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'r' }] } },
    },
    'env of a container in a template': {
      type: 'apps.v1.Deployment',
      before: { spec: { template: pod({ containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] }) } },
      patch: { spec: { template: pod({ containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] }) } },
      after: {
        spec: {
          template: pod({
            containers: [
              {
                name: 'a',
                env: [
                  { name: 'Y', value: '2' },
                  { name: 'X', value: '1' },
                ],
              },
            ],
          }),
        },
      },
    },
    'a map can be replaced': {
      before: { metadata: { annotations: { a: '1' } } },
      patch: { metadata: { annotations: { $patch: 'replace', b: '2' } } },
      after: { metadata: { annotations: { b: '2' } } },
    },
  };

for (const [title, { type = 'core.v1.Pod', before, patch, after }] of Object.entries(CASES)) {
  test(title, () => {
    const frozen = JSON.stringify(before);
    expect(strategicMergePatch(before, patch, type, types)).toEqual(after);
    expect(JSON.stringify(before)).toBe(frozen);
  });
}

for (const [patch, code, message] of [
  [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
  [{ spec: { $patch: 'other' } }, 500, 'unknown patch type: other in map: map[$patch:other]'],
  [{ spec: { $retainKeys: ['a'], nodeName: 'x' } }, 400, 'invalid patch format of retainKeys'],
  [{ spec: { '$setElementOrder/containers': 'x' } }, 400, 'invalid patch format of setElementOrder list'],
  [[], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
] as const) {
  test(`${JSON.stringify(patch)} is refused`, () => {
    const merge = (): unknown => strategicMergePatch(pod(containers('a')), patch, 'core.v1.Pod', types);
    expect(merge).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });
}
