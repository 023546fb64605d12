import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { goModule } from '../targets/go/testing/sample.ts';
import { BIN, start, usersEnvironment } from './testing/command.ts';

const SCENARIO = 'provisioning/small-scale-out-and-back';

/** Logs that it is ready, and then runs the code of the test. */
const program = (then: string): string => `package main

import (
	"fmt"
	"time"
)

func main() {
	fmt.Println("ready")
	time.Sleep(3 * time.Second)
	${then}
}
`;

/** Builds a program, runs one scenario with it, and reads the findings. */
async function run(
  testInfo: TestInfo,
  then: string,
): Promise<{ readonly code: number | undefined; readonly found: string[]; readonly stdout: string }> {
  goModule(testInfo, program(then));
  const cwd = testInfo.outputPath();
  const target = {
    name: 'sample',
    go: { module: 'scaleproof.invalid/sample', source: './module', package: '.' },
    pools: { as: 'karpenter' },
    ready: { log: 'ready' },
    constants: { emptyAfter: '1m', termination: '35s' },
  };
  writeFileSync(join(cwd, 'sample.yaml'), JSON.stringify(target));
  const environment = { ...usersEnvironment(), SCALEPROOF_CACHE: testInfo.outputPath('cache') };
  const args = ['run', '--target', './sample.yaml', '--scenario', SCENARIO, '--out', 'out'];
  const { code, stdout } = await start(process.execPath, [BIN, ...args], cwd, environment).finished;
  const report = readFileSync(join(cwd, 'out/report.json'), 'utf8');
  const found = [...report.matchAll(/"code": ?"([^"]+)"/g)].map(([, name = '']) => name);
  return { code, found, stdout };
}

test('a Go program that spins is killed, with a verdict', async ({}, testInfo) => {
  const { code, found, stdout } = await run(testInfo, 'for {\n\t}');
  expect(code).toBe(1);
  expect(found).toContain('hung');
  // Findings are wrapped at the width of a terminal.
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('10 s of processor time without letting anything else run');
});

test('a Go program that exits while it is needed is a finding, with its last output', async ({}, testInfo) => {
  const { code, found, stdout } = await run(testInfo, 'panic("out of luck")');
  expect(code).toBe(1);
  expect(found).toContain('exited');
  expect(stdout).toContain('out of luck');
});
