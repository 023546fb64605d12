import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestInfo } from '@playwright/test';

/** The test's own folder, with these files. @param name of one of several folders */
export function folderWith(testInfo: TestInfo, files: Readonly<Record<string, string>> = {}, name = 'user'): string {
  const folder = testInfo.outputPath(name);
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The histories of a run directory, by file name, without what was measured beside them. */
export function historiesOf(directory: string): Record<string, string> {
  const folder = join(directory, 'histories');
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/** A user's scenario: a few pods, on-demand. */
export const BURST = `\
import { pool, scenario } from 'scaleproof';

export const burst = scenario({
  id: 'mine/burst',
  title: 'five pods at once',
  pools: [pool('default', { capacityTypes: ['on-demand'] })],
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 5, cpu: '500m', memory: '1Gi' });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
  },
});
`;

/** A scenario that never ends. */
export const ENDLESS = `\
import { scenario } from 'scaleproof';

export const endless = scenario({
  id: 'mine/endless',
  title: 'waits for ever',
  async run(t) {
    for (;;) await t.pass('explain');
  },
});
`;
