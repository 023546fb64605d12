import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { parseAllDocuments } from 'yaml';
import { scenario } from '../../harness/scenario.ts';
import { runInProcess } from '../../harness/testing/in-process.ts';
import { reference } from '../reference.ts';
import type { Target } from '../target.ts';
import { withRights } from './rights.ts';

interface Manifest {
  readonly kind: string;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

const burst = scenario({
  id: 'test/burst',
  title: 'two pods',
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 2, cpu: '1', memory: '1Gi' });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
  },
});

/** The bundled autoscaler with the roles that it is deployed with. @param without a verb and a resource that they then do not grant */
function restricted(testInfo: TestInfo, without?: readonly [string, string]): Target {
  const text = readFileSync(new URL('../../fixtures/templates/deploy/controller.yaml', import.meta.url), 'utf8');
  const roles = parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest)
    .filter(({ kind }) => /Role(Binding)?$/.test(kind));
  const changed = roles.map(({ rules, ...role }) => ({
    ...role,
    rules: rules?.map((rule) => {
      const isMeant = rule.resources.some((resource) => resource === without?.[1]);
      return isMeant ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== without?.[0]) } : rule;
    }),
  }));
  const file = testInfo.outputPath('roles.yaml');
  writeFileSync(file, changed.map((role) => JSON.stringify(role)).join('\n---\n'));
  return withRights(
    testInfo.outputPath('target.yaml'),
    { serviceAccount: { namespace: 'kube-system', name: 'scaleproof-controller' }, rbac: './roles.yaml' },
    reference,
  );
}

test('the bundled autoscaler passes with the roles that it is deployed with', async ({}, testInfo) => {
  const { judgement } = await runInProcess(burst, restricted(testInfo));
  expect(judgement.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(judgement.verdict).toBe('pass');
});

test('without the right to watch pods it fails, and a finding names the rule', async ({}, testInfo) => {
  const { judgement } = await runInProcess(burst, restricted(testInfo, ['watch', 'pods']));
  expect(judgement.verdict).toBe('fail');
  const [finding, ...others] = judgement.checks.find(({ check }) => check === 'permissions')?.findings ?? [];
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ code: 'permission-missing', object: 'pods' });
  expect(finding?.message).toContain('system:serviceaccount:kube-system:scaleproof-controller may not watch pods: denied ');
  expect(finding?.message).toContain('{apiGroups: [""], resources: ["pods"], verbs: ["watch"]}');
});
