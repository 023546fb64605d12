import { expect, test } from '@playwright/test';
import { formatPath, readFields, writeFields } from './field-set.ts';
import { readManagers, writeManagers } from './managers.ts';
import { builtInShape } from './merge-shape.ts';
import { managersAfterUpdate, serverSideApply } from './server-side-apply.ts';
import type { Managed } from './server-side-apply.ts';
import { StatusError } from './status.ts';
import { loadKubeTypes } from './types.ts';

const shape = builtInShape('apps.v1.Deployment', loadKubeTypes());
const by = (name: string) => ({ name, operation: 'Apply', apiVersion: 'apps/v1', time: '2026-01-01T00:00:00Z' }) as const;
const apply = (live: Managed | undefined, spec: object, name = 'a', force = false): Managed =>
  serverSideApply(live, { metadata: { name: 'd' }, spec }, shape, by(name), force);
const withContainers = (...containers: object[]): object => ({ template: { spec: { containers } } });
const fieldsOf = ({ managers }: Managed, name: string): string[] =>
  [...(managers.find((manager) => manager.name === name)?.fields ?? [])].sort().map(formatPath);

test('the first apply creates the object and owns the fields that it sets', () => {
  const made = apply(undefined, { replicas: 2, ...withContainers({ name: 'web', image: 'x' }) });
  expect(made.object).toEqual({ metadata: { name: 'd' }, spec: { replicas: 2, ...withContainers({ name: 'web', image: 'x' }) } });
  expect(fieldsOf(made, 'a')).toEqual([
    '.spec.replicas',
    '.spec.template.spec.containers[name="web"]',
    '.spec.template.spec.containers[name="web"].image',
    '.spec.template.spec.containers[name="web"].name',
  ]);
});

test('a field that its manager no longer applies is removed, unless another manager owns it', () => {
  const first = apply(undefined, {
    replicas: 2,
    paused: true,
    ...withContainers({ name: 'web', image: 'x' }, { name: 'log', image: 'y' }),
  });
  const shared = apply(first, { replicas: 2 }, 'b');
  const next = apply(shared, withContainers({ name: 'web', image: 'x' }));
  expect(next.object).toEqual({ metadata: { name: 'd' }, spec: { replicas: 2, ...withContainers({ name: 'web', image: 'x' }) } });
  expect(fieldsOf(next, 'b')).toEqual(['.spec.replicas']);
});

test('a change of another manager’s field is a conflict, unless forced', () => {
  const first = apply(undefined, { replicas: 2, paused: true });
  const refused = (spec: object): StatusError => {
    try {
      apply(first, spec, 'b');
    } catch (error) {
      if (error instanceof StatusError) return error;
    }
    throw new Error('there was no conflict');
  };
  expect(refused({ replicas: 3 })).toMatchObject({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
    status: { details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' }] } },
  });
  expect(refused({ replicas: 3, paused: false }).message).toBe(
    'Apply failed with 2 conflicts: conflicts with "a":\n- .spec.paused\n- .spec.replicas',
  );
  const forced = apply(first, { replicas: 3 }, 'b', true);
  expect(forced.object).toMatchObject({ spec: { replicas: 3, paused: true } });
  expect([fieldsOf(forced, 'a'), fieldsOf(forced, 'b')]).toEqual([['.spec.paused'], ['.spec.replicas']]);
});

test('the fields of an object that was never applied belong to before-first-apply', () => {
  const live = { object: { metadata: { name: 'd' }, spec: { replicas: 1 } }, managers: [] };
  expect(() => apply(live, { replicas: 2 })).toThrow('conflict with "before-first-apply" using apps/v1: .spec.replicas');
  expect(fieldsOf(apply(live, { replicas: 1 }), 'before-first-apply')).toEqual(['.spec.replicas']);
});

test('an update takes ownership of the fields that it changes', () => {
  const first = apply(undefined, { replicas: 2, paused: true });
  const after = { ...first.object, spec: { replicas: 5, paused: true } };
  const update = { name: 'scaler', operation: 'Update', apiVersion: 'apps/v1', time: '2026-01-01T00:00:01Z' } as const;
  const managers = managersAfterUpdate(first, after, shape, update);
  const managed = { object: after, managers };
  expect([fieldsOf(managed, 'a'), fieldsOf(managed, 'scaler')]).toEqual([['.spec.paused'], ['.spec.replicas']]);
  expect(managersAfterUpdate(managed, after, shape, update)).toBe(managers);
  expect(() => apply(managed, { replicas: 2, paused: true })).toThrow('conflict with "scaler" using apps/v1: .spec.replicas');
});

test('the same apply again changes nothing', () => {
  const first = apply(undefined, { replicas: 2, ...withContainers({ name: 'web', ports: [{ containerPort: 80 }] }) });
  const again = serverSideApply(first, first.object, shape, { ...by('a'), time: '2026-02-02T00:00:00Z' }, false);
  expect(again.object).toEqual(first.object);
  expect(writeManagers(again.managers)).toEqual(writeManagers(first.managers));
});

test('managed fields are written and read in the format of Kubernetes', () => {
  const made = apply(undefined, withContainers({ name: 'web', ports: [{ containerPort: 80 }] }));
  const [entry] = writeManagers(made.managers);
  expect(entry).toEqual({
    manager: 'a',
    operation: 'Apply',
    apiVersion: 'apps/v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': {
                '.': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    },
  });
  expect(readManagers([entry])).toEqual(made.managers);
  const odd = { 'f:a': { '.': {}, 'v:"x\\ny"': {} } };
  expect(writeFields(readFields(odd))).toEqual(odd);
});
