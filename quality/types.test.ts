import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import ts from 'typescript';
import { root } from './sources.ts';

const HOST: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

test('the code type-checks', { tag: '@long' }, () => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(fileNames, options);
  const found = [...errors, ...ts.getPreEmitDiagnostics(program)];
  expect(found.length, ts.formatDiagnostics(found, HOST)).toBe(0);
});
