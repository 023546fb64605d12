import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { TrialResult } from '../history/verdict.ts';
import { buildGoProgram } from '../targets/go/build/build.ts';
import { goModule } from '../targets/go/testing/sample.ts';
import { loadTarget } from './load.ts';
import { runTrial } from './run.ts';

/** An autoscaler that makes garbage every minute, keeps some more of it each time if it leaks, and does nothing else. */
const LEAKING = `package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"runtime/metrics"
	"syscall"
	"time"
)

var garbage []byte
var kept [][]byte

func main() {
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		fmt.Fprintf(w, "go_gc_heap_live_bytes %d\\n", live[0].Value.Uint64())
	})
	go http.ListenAndServe("127.0.0.1:"+os.Getenv("METRICS_PORT"), nil)
	go func() {
		for range time.Tick(time.Minute) {
			garbage = make([]byte, 1<<20)
			if os.Getenv("LEAK") != "" {
				kept = append(kept, make([]byte, 64<<10))
			}
		}
	}()
	fmt.Println("ready")
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	<-told
}
`;

async function trialOf(testInfo: TestInfo, environment: Readonly<Record<string, string>>, name: string): Promise<TrialResult> {
  const path = testInfo.outputPath(`${name}.yaml`);
  const target = {
    name,
    go: { module: 'scaleproof.invalid/sample', source: './module', package: '.' },
    pools: { as: 'karpenter' },
    environment,
    ready: { log: 'ready' },
    constants: { emptyAfter: '1m', termination: '35s' },
  };
  writeFileSync(path, JSON.stringify(target));
  const { program } = await loadTarget({ file: pathToFileURL(path).href });
  if (program?.spec === undefined) throw new Error('it is not a Go target');
  const { artefact } = await buildGoProgram(program.spec);
  const directory = testInfo.outputPath(name);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  return runTrial({
    scenario: { module: new URL('./testing/idle-hours.ts', import.meta.url).href, export: 'idleHours' },
    target: { file: pathToFileURL(path).href, artefact: artefact.name },
    directory,
  });
}

test('memory of a Go program that leaks is found to grow, and that of one that only makes garbage is not', async ({}, testInfo) => {
  goModule(testInfo, LEAKING);
  const cache = process.env['SCALEPROOF_CACHE'];
  process.env['SCALEPROOF_CACHE'] = testInfo.outputPath('cache');
  try {
    const leaking = await trialOf(testInfo, { LEAK: 'yes' }, 'leaking');
    const grown = leaking.checks.find(({ check }) => check === 'memory-growth');
    expect(grown).toMatchObject({ verdict: 'fail', findings: [{ code: 'memory-grows' }] });
    // 64 KiB a minute.
    expect(Number(/^([\d.]+) MiB a day/.exec(grown?.summary ?? '')?.[1])).toBeCloseTo(90, -1);
    expect(leaking.usage).toMatchObject({ memory: 'webassembly' });
    expect(leaking.usage?.cpuMs).toBeGreaterThan(0);
    const again = await trialOf(testInfo, { LEAK: 'yes' }, 'again');
    expect(again.usage?.samples, 'the same in each run').toEqual(leaking.usage?.samples);
    const steady = await trialOf(testInfo, {}, 'steady');
    expect(steady.checks.find(({ check }) => check === 'memory-growth')).toMatchObject({ verdict: 'pass' });
  } finally {
    if (cache === undefined) delete process.env['SCALEPROOF_CACHE'];
    else process.env['SCALEPROOF_CACHE'] = cache;
  }
});
