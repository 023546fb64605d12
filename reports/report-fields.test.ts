import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { packageRoot } from '../model/package-root.ts';
import { buildReport } from './build-report.ts';
import { describeFields } from './report-fields.ts';
import { formatReport, formatReportSchema } from './run-report.ts';
import { sampleRun } from './testing/sample-run.ts';

function publishedSchema(): object {
  return JSON.parse(readFileSync(join(packageRoot(), 'schemas/report.v1.json'), 'utf8')) as object;
}

test('every field of the published schema is described', () => {
  expect(describeFields(publishedSchema()), 'say what they mean in reports/report-fields.ts').toEqual([]);
  expect(describeFields(JSON.parse(formatReportSchema()) as object), 'say what they mean in reports/report-fields.ts').toEqual([]);
});

test('a strict validator accepts a report, and rejects one without a verdict', () => {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(publishedSchema());
  const report = JSON.parse(formatReport(buildReport(sampleRun()))) as object;
  validate(report);
  expect(validate.errors ?? []).toEqual([]);
  expect(validate({ ...report, verdict: undefined })).toBe(false);
  expect(validate({ ...report, apiVersion: 'scaleproof/v2' })).toBe(false);
  expect(validate({ ...report, laterField: 1 }), 'a later minor version may add fields').toBe(true);
});
