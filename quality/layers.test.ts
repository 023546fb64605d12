import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { cyclesIn } from './cycles.ts';
import { violationsOf, importsOf, isTest, layers, packages } from './layers.ts';
import { filesOf, root } from './sources.ts';

const inspect = (file: string, text: string): string[] => violationsOf(file, importsOf(file, text));

test('every import keeps to the layers', () => {
  const violations = filesOf('.ts').flatMap((file) => inspect(file, readFileSync(join(root, file), 'utf8')));
  expect(violations, violations.join('\n')).toEqual([]);
});

/** The files that each file imports. Type imports count too: a file that needs a type depends on its file. */
function importsOfFiles(): Map<string, string[]> {
  return new Map(
    filesOf('.ts').map((file) => {
      const names = importsOf(file, readFileSync(join(root, file), 'utf8')).map(({ name }) => name);
      return [file, names.filter((name) => name.endsWith('.ts'))];
    }),
  );
}

test('there are no import cycles', () => {
  const cycles = cyclesIn(importsOfFiles());
  expect(cycles, cycles.join('\n')).toEqual([]);
});

test('there are none between the folders in world/', () => {
  const folderIn = (file: string): string => file.split('/').slice(0, 2).join('/');
  const folders = new Map<string, Set<string>>();
  for (const [file, names] of importsOfFiles()) {
    if (!file.startsWith('world/') || isTest(file)) continue;
    const others = names.map(folderIn).filter((name) => name.startsWith('world/') && name !== folderIn(file));
    folders.set(folderIn(file), new Set([...(folders.get(folderIn(file)) ?? []), ...others]));
  }
  const cycles = cyclesIn(folders);
  expect(cycles, cycles.join('\n')).toEqual([]);
});

test('a planted cycle is found, once and by its shortest path', () => {
  const imports = { 'a.ts': ['b.ts', 'c.ts'], 'b.ts': ['c.ts'], 'c.ts': ['a.ts'], 'd.ts': ['a.ts'], 'e.ts': ['e.ts'], 'f.ts': ['g.ts'] };
  expect(cyclesIn(new Map(Object.entries(imports)))).toEqual(['a.ts -> c.ts -> a.ts', 'b.ts -> c.ts -> a.ts -> b.ts', 'e.ts -> e.ts']);
});

test('every layer exists, and so does every path that it names', () => {
  const named = Object.entries(layers).flatMap(([place, { may }]) => [place, ...(may === 'everything' ? [] : may)]);
  const places = [...named, ...packages.flatMap((rule) => [...rule.in, ...(rule.typesIn ?? [])])];
  expect([...new Set(places)].filter((place) => !existsSync(join(root, place)))).toEqual([]);
});

test('no layer names one below it', () => {
  const order = Object.keys(layers);
  const upward = Object.entries(layers).flatMap(([folder, { may }]) =>
    may === 'everything' ? [] : may.filter((place) => order.indexOf(place.split('/')[0] ?? '') >= order.indexOf(folder)),
  );
  expect(upward).toEqual([]);
});

for (const [what, file, text] of [
  ['a forbidden folder', 'controller/planted.ts', "import { createWorld } from '../world/world.ts';"],
  ['a type of a forbidden folder', 'controller/deep/planted.ts', "import type { World } from '../../world/world.ts';"],
  ['a re-export of a forbidden folder', 'checks/planted.ts', "export * from '../harness/engine.ts';"],
  ['a dynamic import of a forbidden folder', 'faults/planted.ts', "const world = await import('../world/embedded.ts');"],
  ['a file other than the allowed one', 'clients/planted.ts', "import { openChain } from '../wire/chain.ts';"],
  ['a forbidden package', 'world/planted.ts', "import { KubeConfig } from '@kubernetes/client-node';"],
  [
    'a package whose types are allowed',
    'controller/planted.ts',
    "import type { Tag } from '@aws-sdk/client-ec2';\nimport { EC2Client } from '@aws-sdk/client-ec2';",
  ],
  [
    'a folder that only the parent folder may import',
    'targets/plain/planted.ts',
    "import { createController } from '../../controller/controller.ts';",
  ],
  [
    'a type of a folder that only the parent folder may import',
    'targets/plain/planted.ts',
    "import type { Context } from '../../controller/context.ts';",
  ],
  ['a detour through the parent folder', 'targets/plain/planted.ts', "import { reference } from '../reference.ts';"],
  ['a folder without a layer', 'helpers/planted.ts', ''],
] as const) {
  test(`a planted violation is found: ${what}`, () => {
    expect(inspect(file, text)).toContainEqual(expect.stringContaining(file));
  });
}

test('an allowed import is not a violation', () => {
  expect(
    inspect('clients/fine.ts', "import type { Wire } from '../wire/wire.ts';\nimport { EC2Client } from '@aws-sdk/client-ec2';"),
  ).toEqual([]);
  expect(inspect('targets/fine.ts', "import type { Tag } from '@aws-sdk/client-ec2';\nimport { join } from 'node:path';")).toEqual([]);
  expect(inspect('targets/plain/fine.ts', "import { Look } from './look.ts';\nimport type { Pod } from '../../model/kube.ts';")).toEqual(
    [],
  );
  expect(
    inspect('targets/plain.ts', "import { run } from './plain/autoscaler.ts';\nimport { CRDS } from '../controller/crds.ts';"),
  ).toEqual([]);
  expect(inspect('checks/fine.test.ts', "import { runTrial } from '../harness/run.ts';")).toEqual([]);
});
