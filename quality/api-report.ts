import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import ts from 'typescript';
import { root } from './sources.ts';

/** Path of the report of the last accepted API, from the project's root. */
export const API_REPORT = 'quality/scaleproof.api.md';

const SILENT = { default: { logLevel: ExtractorLogLevel.None } };

/**
 * Describes the public API of the package: every export of `index.ts` with its signature, and every type that these mention.
 * It uses only the declarations that `npm run build` writes; another test type-checks the code.
 * @returns the report in Markdown
 */
export function apiReport(): string {
  // Outside the project, so that other builds do not interfere. API Extractor needs a package around its input.
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-api-'));
  try {
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeDeclarations(join(folder, 'dist'));
    mkdirSync(join(folder, 'report'));
    const config = ExtractorConfig.prepare({
      packageJsonFullPath: join(folder, 'package.json'),
      configObjectFullPath: join(folder, 'api-extractor.json'),
      configObject: {
        projectFolder: folder,
        mainEntryPointFilePath: join(folder, 'dist/index.d.ts'),
        newlineKind: 'lf',
        compiler: { overrideTsconfig: { compilerOptions: { target: 'es2024', module: 'nodenext', types: ['node'], strict: true } } },
        apiReport: {
          enabled: true,
          reportFileName: 'scaleproof.api.md',
          reportFolder: join(folder, 'report'),
          reportTempFolder: join(folder, 'temporary'),
          // Types that users meet without importing them by name.
          includeForgottenExports: true,
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        // Names and signatures only: the text of docstrings is not part of the API.
        messages: { extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
      },
    });
    const errors: string[] = [];
    const { succeeded } = Extractor.invoke(config, {
      // Writes the report instead of comparing it with an existing one.
      localBuild: true,
      messageCallback: (message) => {
        if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.formatMessageWithLocation(folder));
        message.handled = true;
      },
    });
    if (!succeeded) throw new Error(`API Extractor could not read the declarations of index.ts:\n${errors.join('\n')}`);
    return readFileSync(join(folder, 'report/scaleproof.api.md'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes the declarations of `index.ts` and of its imports. */
function writeDeclarations(outDir: string): void {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), (path) => ts.sys.readFile(path)) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([join(root, 'index.ts')], {
    ...options,
    outDir,
    emitDeclarationOnly: true,
    noCheck: true,
    // Otherwise the order of a union's members depends on unrelated code.
    stableTypeOrdering: true,
  });
  const { diagnostics } = program.emit();
  if (diagnostics.length > 0)
    throw new Error(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'));
}
