import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Console } from '../cli/console.ts';
import { commandLine, main } from '../cli/main.ts';
import { faultCatalogue } from '../faults/catalogue.ts';
import { loadCatalogue } from '../model/instance-catalogue.ts';
import { sources, suites } from '../suites/catalogue.ts';
import { specification } from '../suites/specification/catalogue.ts';
import { namesInTarget, targetCatalogue } from '../targets/catalogue.ts';
import { parseTargetVersion } from '../targets/go/build/programs.ts';
import { mutants } from '../targets/mutants/catalogue.ts';
import { createAccountServices } from '../world/aws/account-services.ts';
import { AUTOSCALING_OPERATIONS } from '../world/aws/autoscaling/table.ts';
import { EC2_OPERATIONS } from '../world/aws/operations/table.ts';
import { SQS_OPERATIONS } from '../world/aws/sqs/operations.ts';
import { API_CASES } from '../fidelity/differential/kube/run-case.ts';
import { CLUSTER } from '../world/embedded.ts';
import { BUILT_IN_RESOURCES } from '../world/kube/resources.ts';
import { SCHEDULER_CASES } from '../fidelity/differential/scheduler/cases.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { layers } from './layers.ts';
import { filesOf, root } from './sources.ts';

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
/** Pages for people, without generated ones such as the API report, and without GitHub's templates. */
const DOCS = filesOf('.md').filter((file) => !file.includes('/') || file.startsWith('docs/'));
const FILES = filesOf('.ts', '.js', '.json', '.yaml', '.md', '.py', '.go');

const SILENT: Console = { out: () => undefined, err: () => undefined, interactive: false, color: false, columns: 120 };

/** The cells of the first table below a heading, without the header row. */
function tableBelow(text: string, heading: string): string[][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const [, table = ''] = /((?:^\|.*\n)+)/m.exec(section) ?? [];
  const rows = table.split('\n').filter((row) => row !== '');
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Whether it is a version of a program, `program@version`: any version may exist. */
function isVersion(name: string): boolean {
  if (!name.includes('@')) return false;
  parseTargetVersion(name);
  return true;
}

for (const doc of DOCS) {
  test(`links and file names in ${doc} exist`, () => {
    const text = textOf(doc);
    const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    const brokenLinks = links.filter((link) => !link.includes('://') && !existsSync(join(root, dirname(doc), link)));

    const names = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name);
    const wrong = names.filter((name) => {
      if (/^[./]/.test(name) || !name.includes('/')) return false;
      const isFolder = name.endsWith('/') && Object.hasOwn(layers, name.slice(0, name.indexOf('/')));
      if (isFolder) return !existsSync(join(root, name));
      // A file name may be relative to the folder that the page is about.
      return /\.(ts|js|json|yaml|md|py)$/.test(name) && !FILES.some((file) => file === name || file.endsWith(`/${name}`));
    });
    expect([...brokenLinks, ...wrong]).toEqual([]);
  });

  test(`commands, flags and names in ${doc} exist`, async () => {
    const known: Readonly<Record<string, readonly string[]>> = {
      '--scenario': suites.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario.id)),
      '--suite': suites.map(({ name }) => name),
      '--target': targetCatalogue.map(({ name }) => name),
      inject: faultCatalogue.map(({ name }) => name),
    };
    const wrong: string[] = [];
    for (const [, command = ''] of textOf(doc).matchAll(/(?:^npx |`)scaleproof ([^`\n]+)/gm)) {
      const [name = ''] = /^((world|target) )?[\w-]+/.exec(command) ?? [];
      const flags = await flagsOf(name.split(' '));
      if (flags.length === 0) wrong.push(`${name} is not a command`);
      wrong.push(...[...command.matchAll(/--[\w-]+/g)].filter(([flag]) => !flags.includes(flag)).map(([flag]) => `${name} ${flag}`));
      for (const [, flag = '', value = ''] of command.matchAll(/(--\w+|\binject) ([^\s']+)/g)) {
        // The user's own files, and the scenarios for manifests.
        const isOwn = (part: string): boolean => /^(\.|manifests\/)/.test(part) || (flag === '--target' && isVersion(part));
        const parts = flag === '--target' ? namesInTarget(value) : [value];
        const unknown = parts.filter((part) => !isOwn(part) && known[flag]?.includes(part) === false);
        wrong.push(...unknown.map((part) => `${flag} ${part}`));
      }
    }
    expect(wrong).toEqual([]);
  });
}

/** The flags in the help of a command; none for an unknown command. */
async function flagsOf(command: readonly string[]): Promise<string[]> {
  let help = '';
  await main([...command, '--help'], { ...SILENT, out: (text) => void (help += text) });
  // For an unknown command the general help is printed.
  return help.startsWith(`Usage: scaleproof ${command.join(' ')} `) ? [...help.matchAll(/--[\w-]+/g)].map(([flag]) => flag) : [];
}

test('the README is short, and names every command', () => {
  const text = textOf('README.md');
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(120);
  const named = tableBelow(text, 'Commands').flatMap(([cell = '']) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name));
  const there = commandLine(SILENT, () => undefined).commands.map((command) => command.name());
  expect(named.sort()).toEqual(there.sort());
});

test('the figures in docs/fidelity.md match the code', () => {
  const figures = new Map(tableBelow(textOf('docs/fidelity.md'), 'The figures').map(([what = '', figure = '']) => [what, Number(figure)]));
  const catalogue = loadCatalogue();
  expect(Object.fromEntries(figures)).toEqual({
    'cases sent to a real API server, v1.34.4, and to ours': API_CASES.length,
    'requests in them': API_CASES.reduce((sum, { steps }) => sum + steps.length, 0),
    'scheduler cases, each with its source': SCHEDULER_CASES.length,
    'of these from Kubernetes source files, the others from its documentation': SCHEDULER_CASES.filter(({ source }) =>
      source.startsWith('https://github.com/kubernetes/kubernetes/'),
    ).length,
    'built-in Kubernetes resources': BUILT_IN_RESOURCES.length,
    'EC2 operations': Object.keys(EC2_OPERATIONS).length,
    'SQS operations': Object.keys(SQS_OPERATIONS).length,
    'instance types': catalogue.types.size,
    zones: catalogue.zones.length,
  });
});

test('docs/fidelity.md lists exactly the AWS operations that exist', () => {
  const rows = tableBelow(textOf('docs/fidelity.md'), 'AWS operations');
  const clock = createVirtualTimeline({ startMs: 0, random: createRandom(1) }).scope('account');
  const services = {
    ec2: { operations: Object.keys(EC2_OPERATIONS) },
    autoscaling: { operations: Object.keys(AUTOSCALING_OPERATIONS) },
    sqs: { operations: Object.keys(SQS_OPERATIONS) },
    ...createAccountServices({ clock, random: createRandom(1), cluster: CLUSTER, catalogue: loadCatalogue() }),
  };
  const there = Object.entries(services).flatMap(([service, { operations }]) => operations.map((name) => `\`${service}:${name}\``));
  expect(rows.map(([name]) => name).sort()).toEqual(there.sort());
  for (const [name, how, missing] of rows) {
    expect([name, how, missing !== '']).toEqual([name, how, how !== 'complete']);
    expect(how).toMatch(/^(complete|partly)$/);
  }
});

test('the counts in docs/measured.md match the code', () => {
  const figures = new Map(tableBelow(textOf('docs/measured.md'), 'Counts').map(([what = '', figure = '']) => [what, Number(figure)]));
  const scenarios = suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => scenario));
  expect(Object.fromEntries(figures)).toEqual({
    scenarios: scenarios.length,
    'of these in the core profile': scenarios.filter(({ profile }) => profile === 'core').length,
    'of these only run if they are asked for (profile endurance)': scenarios.length - sources.length,
    'requirements of the specification': specification.flatMap(({ requirements }) => requirements).length,
    faults: faultCatalogue.length,
    checks: checkCatalogue.length,
    'planted bugs (mutants)': mutants.length,
  });
});

test('docs/museum.md names scenarios, requirements that they test, and findings that exist', () => {
  const text = textOf('docs/museum.md');
  const scenarios = new Map(suites.flatMap((suite) => suite.scenarios.map(({ scenario }) => [scenario.id, scenario.requirements])));
  const codes = checkCatalogue.flatMap((check) => Object.keys(check.codes));
  const rows = ['The pieces', 'Open on the newest release'].flatMap((heading) => tableBelow(text, heading));
  expect(rows.length).toBeGreaterThan(0);
  for (const [what = '', , , ...results] of rows) {
    const [, id = ''] = /`([^`]+)`/.exec(what) ?? [];
    const requirements = [...what.matchAll(/\[([A-Z]+-\d+)\]/g)].map(([, name]) => name);
    expect(scenarios.get(id), id).toEqual(expect.arrayContaining(requirements));
    expect(requirements, id).not.toEqual([]);
    const found = results.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code));
    expect(codes, id).toEqual(expect.arrayContaining(found));
    expect(found, id).not.toEqual([]);
  }
});

test('docs/architecture.md lists every folder', () => {
  const rows = tableBelow(textOf('docs/architecture.md'), 'Folders').map(([folder = '']) => basename(folder.replaceAll('`', '')));
  // Files and nested folders also have rows in the layers.
  const folders = Object.keys(layers).filter((name) => !/[./]/.test(name));
  expect([...rows].sort()).toEqual(folders.sort());
});
