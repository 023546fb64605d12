import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { z } from 'zod';
import { filesOf, root } from './sources.ts';

const read = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'));
const FILES = filesOf('.yaml', '.yml').filter((file) => file.startsWith('.github/'));

/** The keys of GitHub's workflow syntax that ours use. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.boolean() }),
  jobs: z.record(
    z.string(),
    z.strictObject({
      strategy: z.strictObject({ 'fail-fast': z.boolean(), matrix: z.strictObject({ node: z.array(z.number()) }) }).optional(),
      'runs-on': z.literal('ubuntu-24.04'),
      container: z.string(),
      'timeout-minutes': z.number().int().positive(),
      steps: z.array(
        z.union([
          // A third-party action has to be pinned to the reviewed commit: tags move.
          z.strictObject({ uses: z.string().regex(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/), with: z.record(z.string(), z.unknown()).optional() }),
          // An expression in a script would run the text of a branch name as code.
          z.strictObject({ run: z.string().refine((script) => !script.includes('${{'), 'an expression in a script') }),
        ]),
      ),
    }),
  ),
});

const choiceSchema = z.strictObject({ label: z.string(), options: z.array(z.string()).min(2) });
const labelSchema = z.strictObject({
  label: z.string(),
  description: z.string().optional(),
  placeholder: z.string().optional(),
  render: z.string().optional(),
});
const asked = { id: z.string().regex(/^[\w-]+$/), validations: z.strictObject({ required: z.boolean() }).optional() };
/** The keys of GitHub's issue form syntax that ours use. */
const formSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
      z.strictObject({ type: z.literal('input'), ...asked, attributes: labelSchema }),
      z.strictObject({ type: z.literal('textarea'), ...asked, attributes: labelSchema }),
      z.strictObject({ type: z.literal('dropdown'), ...asked, attributes: choiceSchema }),
    ]),
  ),
});

test('workflows have pinned actions, no write permissions, and no expression in a script', () => {
  const workflows = FILES.filter((file) => file.startsWith('.github/workflows/'));
  expect(workflows.length).toBeGreaterThan(0);
  for (const file of workflows) {
    const { jobs } = workflowSchema.parse(read(file));
    const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap((step) => ('run' in step ? [step.run] : [])));
    const called = scripts.flatMap((script) => [...script.matchAll(/^\.\/?[\w./-]+/gm)].map(([path]) => path));
    expect(called.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  }
});

test('issue forms are valid, and ask each question once', () => {
  const forms = FILES.filter((file) => file.startsWith('.github/ISSUE_TEMPLATE/') && !file.endsWith('/config.yml'));
  expect(forms.length).toBeGreaterThan(0);
  for (const file of forms) {
    const { body } = formSchema.parse(read(file));
    const ids = body.flatMap((field) => (field.type === 'markdown' ? [] : [field.id]));
    expect(new Set(ids).size, file).toBe(ids.length);
  }
});
