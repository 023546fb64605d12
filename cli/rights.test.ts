import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../model/package-root.ts';
import { runReportSchema } from '../reports/run-report.ts';
import { scaleproofHere } from './testing/command.ts';
import { folderWith, historiesOf } from './testing/files.ts';

const STUB = join(packageRoot(), 'targets/command/testing/stub.ts');

/** A program that lists nodes and pods, and does nothing else. */
const TARGET = JSON.stringify({
  name: 'stub',
  command: ['${NODE}', STUB, 'list', 'api/v1/nodes', 'api/v1/pods'],
  // The shortest periods, because the world must have been quiet for as long before the trial ends.
  constants: { emptyAfter: '1ms', termination: '1ms', batchMax: '1ms', retryPeriod: '1ms' },
  pools: { as: 'karpenter' },
  ready: { delay: '0s' },
  resources: [],
  serviceAccount: 'kube-system/stub',
  rbac: './roles.yaml',
});

const NOTHING = `\
import { scenario } from 'scaleproof';

export const nothing = scenario({ id: 'mine/nothing', title: 'nothing to do', async run() {} });
`;

/** A role to list resources, and its binding. */
function rolesFor(resources: readonly string[]): string {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name: 'stub' };
  const rules = [{ apiGroups: [''], resources, verbs: ['list'] }];
  const subjects = [{ kind: 'ServiceAccount', name: 'stub', namespace: 'kube-system' }];
  const role = { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules };
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'stub' };
  const binding = { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  return [role, binding].map((object) => JSON.stringify(object)).join('\n---\n');
}

for (const { what, resources, code, findings } of [
  { what: 'with every right that it needs, the target passes', resources: ['nodes', 'pods'], code: 0, findings: [] },
  {
    what: 'without one of them, it fails, and the finding names the rule',
    resources: ['nodes'],
    code: 1,
    findings: [
      {
        check: 'permissions',
        code: 'permission-missing',
        object: 'pods',
        message: expect.stringMatching(
          /^system:serviceaccount:kube-system:stub may not list pods: denied 1 time, .*: \{apiGroups: \[""\], resources: \["pods"\], verbs: \["list"\]\}\.$/,
        ) as unknown,
      },
    ],
  },
]) {
  test(`roles in the file of a target: ${what}`, { tag: '@long' }, async ({}, testInfo) => {
    const cwd = folderWith(testInfo, { 'target.yaml': TARGET, 'nothing.ts': NOTHING, 'roles.yaml': rolesFor(resources) });
    const args = ['run', '--target', './target.yaml', '--scenario', './nothing.ts', '--out', 'out'];
    const run = await scaleproofHere(args, cwd);
    expect(run.code, run.stdout + run.stderr).toBe(code);
    const { scenarios } = runReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'out/report.json'), 'utf8')));
    const checks = scenarios.flatMap(({ results }) => results.flatMap((trial) => trial.checks));
    const found = checks.flatMap(({ check, findings: own }) => own.map((finding) => ({ check, ...finding })));
    expect(found).toEqual(findings.map((finding) => expect.objectContaining(finding) as object));
    // The requests were sent, so no verdict is for want of them.
    const [history = ''] = Object.values(historiesOf(join(cwd, 'out')));
    expect(history).toContain('"api/v1/nodes: 200"');
    expect(history).toContain(`"api/v1/pods: ${code === 0 ? 200 : 403}"`);
  });
}
