import { mkdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadTarget } from '../harness/load.ts';
import { buildGoProgram } from '../targets/go/build/build.ts';
import { goModule } from '../targets/go/testing/sample.ts';
import { SMALL } from './testing/ground.ts';
import { createScenarioRunner } from './trials.ts';

/** An autoscaler that only says that it is ready. */
const IDLE = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	fmt.Println("ready")
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	<-told
	if len(os.Args) > 5 {
		fmt.Println("never")
	}
}
`;

test('a trial reports the blocks of code that a Go target ran, if it was built to count them', async ({}, testInfo) => {
  goModule(testInfo, IDLE);
  const cache = process.env['SCALEPROOF_CACHE'];
  process.env['SCALEPROOF_CACHE'] = testInfo.outputPath('cache');
  /** The keys of code of two trials in one process. */
  const reached = async (name: string, coverage: object): Promise<string[][]> => {
    const path = testInfo.outputPath(`${name}.yaml`);
    const file = pathToFileURL(path).href;
    const target = {
      name,
      go: { module: 'scaleproof.invalid/sample', source: './module', package: '.', ...coverage },
      pools: { as: 'karpenter' },
      ready: { log: 'ready' },
      constants: { emptyAfter: '1m', termination: '35s' },
    };
    writeFileSync(path, JSON.stringify(target));
    const { program } = await loadTarget({ file });
    if (program?.spec === undefined) throw new Error('it is not a Go target');
    const { artefact } = await buildGoProgram(program.spec);
    const directory = testInfo.outputPath(`${name}-trials`);
    mkdirSync(directory);
    const runner = createScenarioRunner({
      target: { ref: { file, artefact: artefact.name }, label: name },
      directory,
      workers: 1,
      signal: new AbortController().signal,
      labelOf: () => './small.json',
    });
    try {
      const explored = await runner.run([SMALL, { ...SMALL, name: 'again' }]);
      expect(explored.map(({ result, problem }) => problem ?? result?.verdict)).toEqual(['fail', 'fail']);
      return explored.map(({ coverage: keys }) => [...keys].filter((key) => key.startsWith('code ')));
    } finally {
      await runner.end();
    }
  };
  try {
    const [first = [], second] = await reached('counting', { coverage: ['scaleproof.invalid/sample/...'] });
    // Main has two blocks, after a head of three numbers; the second one never runs.
    expect(first).toEqual(['code 3']);
    expect(second, 'each trial begins with none').toEqual(first);
    expect(await reached('plain', {})).toEqual([[], []]);
  } finally {
    if (cache === undefined) delete process.env['SCALEPROOF_CACHE'];
    else process.env['SCALEPROOF_CACHE'] = cache;
  }
});
