import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadScenario } from '../harness/load.ts';
import { runInProcess } from '../harness/testing/in-process.ts';
import { targetNamed } from '../targets/catalogue.ts';
import { exportedSource } from './export.ts';
import { GENERATED_SUITE, scenarioOf } from './generated.ts';
import type { ScenarioData } from './scenario-data.ts';
import { LARGE, SMALL } from './testing/ground.ts';
import { createScenarioRunner, generatedSource } from './trials.ts';
import type { TrialSite } from './trials.ts';

function site(directory: string, workers: number, target = 'reference'): TrialSite {
  mkdirSync(directory, { recursive: true });
  const signal = new AbortController().signal;
  return { target: { ref: { name: target }, label: target }, directory, workers, signal, labelOf: ({ name }) => `./${name}.json` };
}

async function explored(data: readonly ScenarioData[], at: TrialSite) {
  const runner = createScenarioRunner(at);
  try {
    return await runner.run(data);
  } finally {
    await runner.end();
  }
}

test('a process runs scenarios from their data; the order and the number of processes change nothing', async ({}, testInfo) => {
  const one = site(testInfo.outputPath('one'), 1);
  const alone = await explored([SMALL, LARGE], one);
  const together = await explored([LARGE, SMALL], site(testInfo.outputPath('two'), 2));
  expect(alone.map(({ result }) => result?.verdict)).toEqual(['pass', 'pass']);
  expect(alone[0]?.result?.scenario).toBe(`${GENERATED_SUITE}/small`);
  const facts = ({ result, coverage }: (typeof alone)[number]) => ({
    checks: result?.checks,
    interleaving: result?.interleaving,
    coverage,
  });
  expect([...together].reverse().map(facts)).toEqual(alone.map(facts));
  expect(alone[1]?.operations).toContain('ec2:CreateFleet');
  expect(readdirSync(join(one.directory, 'histories')), 'histories are removed').toEqual([]);
});

test('a scenario that the target or the catalogue lacks has no verdict, and says why', async ({}, testInfo) => {
  const fault = { ...SMALL, faults: [{ name: 'f', fault: 'no-such', params: {} }], steps: [{ do: 'inject' as const, fault: 'f' }] };
  const [unknown, lacking] = await explored([fault, LARGE], site(testInfo.outputPath('plain'), 1, 'plain'));
  expect(unknown?.problem).toContain('no fault is named "no-such"');
  expect(lacking?.problem).toContain('target plain does not have the feature');
});

test('a smaller form keeps the random numbers of its origin', async () => {
  const { ref } = generatedSource({ ...SMALL, name: 'smaller', origin: 'small' });
  expect((await loadScenario(ref)).origin).toBe('small');
  const [small, smaller] = await Promise.all([
    runInProcess(scenarioOf(SMALL), targetNamed('reference')),
    runInProcess(await loadScenario(ref), targetNamed('reference')),
  ]);
  expect(smaller.events.slice(1)).toEqual(small.events.slice(1));
});

test('an exported scenario does the same, event for event', async ({}, testInfo) => {
  for (const data of [SMALL, LARGE]) {
    const path = testInfo.outputPath(`${data.name}.ts`);
    writeFileSync(path, exportedSource(data));
    const exported = await loadScenario({ module: pathToFileURL(path).href, export: data.name });
    const [written, read] = [
      await runInProcess(exported, targetNamed('reference')),
      await runInProcess(scenarioOf(data), targetNamed('reference')),
    ];
    expect(written.events).toEqual(read.events);
  }
});
