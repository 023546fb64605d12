import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { z } from 'zod';
import { start, usersEnvironment } from '../../cli/testing/command.ts';
import { packageRoot } from '../../model/package-root.ts';

interface Step {
  readonly title: string;
  readonly steps?: readonly Step[] | undefined;
}
const stepSchema: z.ZodType<Step> = z.lazy(() => z.object({ title: z.string(), steps: z.array(stepSchema).optional() }));

/** The fields of Playwright's JSON report that tests read. */
const specSchema = z.object({
  title: z.string(),
  tests: z.tuple([
    z.object({
      annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
      timeout: z.number(),
      results: z.array(
        z.object({
          status: z.string(),
          errors: z.array(z.object({ message: z.string() })),
          steps: z.array(stepSchema).optional(),
          attachments: z.array(z.object({ name: z.string(), contentType: z.string(), path: z.string().optional() })),
        }),
      ),
    }),
  ]),
});
export const playwrightReportSchema = z.object({
  suites: z.array(z.object({ specs: z.array(specSchema) })),
  errors: z.array(z.object({ message: z.string() })),
});
export type PlaywrightReport = z.infer<typeof playwrightReportSchema>;

/** A user's project in a folder outside the clone, so that it does not find the clone's packages. */
export interface Project {
  readonly folder: string;
  /** Starts Playwright's tests. */
  run(args: readonly string[]): ReturnType<typeof start>;
  /** Terminates processes that still run, and removes the folder. */
  remove(): Promise<void>;
}

/** Creates a project of these files, in which `scaleproof` resolves to the sources. */
export function createProject(files: Readonly<Record<string, string>>): Project {
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-project-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@playwright'), { recursive: true });
  symlinkSync(join(packageRoot(), 'node_modules/@playwright/test'), join(modules, '@playwright/test'));
  symlinkSync(packageRoot(), join(modules, 'scaleproof'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const started: ReturnType<typeof start>[] = [];
  return {
    folder,
    run: (args) => {
      const playwright = start(process.execPath, [join(packageRoot(), 'node_modules/@playwright/test/cli.js'), 'test', ...args], folder, {
        ...usersEnvironment(),
        // A user's Playwright compiles only the project's own files, not this package.
        PW_DISABLE_TS_ESM: '1',
        NODE_OPTIONS: '--conditions=scaleproof-source',
        PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      });
      started.push(playwright);
      return playwright;
    },
    remove: async () => {
      for (const { child } of started) if (child.exitCode === null) child.kill('SIGINT');
      await Promise.all(started.map(({ finished }) => finished));
      rmSync(folder, { recursive: true });
    },
  };
}
