import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { packageRoot } from '../model/package-root.ts';
import { scaleproof, scaleproofHere, startScaleproof } from './testing/command.ts';
import { ENDLESS, folderWith } from './testing/files.ts';
import { canSeeProcesses, descendantsOf, isRunning, until } from './testing/processes.ts';

const STUB = join(packageRoot(), 'targets/command/testing/stub.ts');

/** A valid target file with a change. */
function targetFile(change: object): string {
  const valid = {
    name: 'stub',
    command: ['${NODE}', STUB, 'family'],
    constants: { emptyAfter: '1s', termination: '1s' },
    pools: { command: ['${NODE}', STUB, 'exit', '0'] },
    ready: { delay: '0s' },
  };
  return JSON.stringify({ ...valid, ...change });
}

for (const { what, change, says } of [
  {
    what: 'a missing program',
    change: { command: ['./autoscaler'] },
    says: /command can't be run: there is no program \/\S+\/autoscaler \(paths are relative to the folder of this file\)\n$/,
  },
  {
    what: 'a program that is not in PATH',
    change: { command: ['no-such-autoscaler'] },
    says: /no program no-such-autoscaler is in PATH \(\S+\)\n$/,
  },
  {
    what: 'a program that is not executable',
    change: { command: ['./target.yaml'] },
    says: /target\.yaml is not executable \(run chmod \+x\)\n$/,
  },
  { what: 'a missing translator', change: { pools: { command: ['./pools'] } }, says: /pools\.command can't be run: / },
  { what: 'a missing folder', change: { directory: 'gone' }, says: /directory \S+gone does not exist\n$/ },
  { what: 'a missing file of objects', change: { install: ['crds.yaml'] }, says: /install\.0: crds\.yaml can't be read\n$/ },
  {
    what: 'an invalid node class',
    change: { pools: { as: 'karpenter', nodeClass: {} } },
    says: /pools\.nodeClass: apiVersion must be a string\n$/,
  },
  { what: 'an unknown field', change: { comand: [] }, says: /target\.yaml: the file has no field comand; did you mean command\?\n$/ },
]) {
  test(`refused: ${what}`, async ({}, info) => {
    const cwd = folderWith(info, { 'target.yaml': targetFile(change) });
    const { code, stdout, stderr } = await scaleproofHere(['run', '--target', join(cwd, 'target.yaml')]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });
}

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`${signal} while a program runs: no process is left`, async ({}, info) => {
    test.skip(!canSeeProcesses, 'the system has no /proc');
    const cwd = folderWith(info, { 'target.yaml': targetFile({}), 'endless.ts': ENDLESS });
    const { child, finished } = startScaleproof(['run', '--target', './target.yaml', '--scenario', './endless.ts', '--out', 'out'], cwd);
    const history = join(cwd, 'out/histories/mine.endless-seed-1.jsonl');
    await until('the program has logged', () => existsSync(history) && readFileSync(history, 'utf8').includes('"type":"said"'));
    const family = /"reason":"log","message":"(\d+) (\d+)"/.exec(readFileSync(history, 'utf8'))?.slice(1).map(Number) ?? [];
    const processes = [...new Set([...family, ...descendantsOf(child.pid ?? 0)])];
    expect(family.filter(isRunning)).toHaveLength(2);
    child.kill(signal);
    const { code } = await finished;
    await until('no process is left', () => !processes.some(isRunning));
    if (signal === 'SIGINT') expect(code).toBe(3);
  });
}

test('a replay warns if the file of its target has changed', async ({}, info) => {
  const needsSpot = ENDLESS.replace("id: 'mine/endless',", "id: 'mine/endless', features: ['spot'],");
  const cwd = folderWith(info, { 'target.yaml': targetFile({ features: [] }), 'endless.ts': needsSpot });
  const digests = 'target=./target.yaml@0123456789ab,seed=1,nodes=10,catalogue=0123456789ab';
  const { code, stderr } = await scaleproof(['replay', `sp1,scenario=./endless.ts%23endless@0123456789ab,${digests}`], cwd);
  expect(stderr).toMatch(/the file of target \.\/target\.yaml has changed \(digest 0123456789ab then, [0-9a-f]{12} now\)/);
  // It is not run because a feature is missing, so nothing is proved.
  expect(code).toBe(3);
});
