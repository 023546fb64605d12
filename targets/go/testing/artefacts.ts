import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { artefactName } from '../artefacts/cache.ts';
import { CRDS_FOLDER, MANIFEST_FILE, MANIFEST_FORMAT, RECIPE, WASM_FILE } from '../artefacts/manifest.ts';
import type { Manifest } from '../artefacts/manifest.ts';

const WASM = 'not much of a program';
const CRD = 'kind: CustomResourceDefinition\n';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A valid manifest. */
export function manifestOf(change: Partial<Manifest> = {}): Manifest {
  return {
    format: MANIFEST_FORMAT,
    recipe: RECIPE,
    program: 'karpenter',
    version: '1.14.1',
    module: 'github.com/aws/karpenter-provider-aws',
    moduleVersion: 'v1.14.1',
    package: 'github.com/aws/karpenter-provider-aws/cmd/controller',
    sums: { 'github.com/aws/karpenter-provider-aws@v1.14.1': 'h1:sum' },
    replaces: [],
    goVersion: 'go1.26.8',
    flags: ['-trimpath'],
    overlaySha256: sha256('overlay'),
    request: sha256('request'),
    digest: sha256(JSON.stringify(change)),
    wasm: { sha256: sha256(WASM), bytes: WASM.length },
    crds: [{ file: 'nodepools.yaml', sha256: sha256(CRD) }],
    builtAt: '2026-11-01T00:00:00.000Z',
    seconds: 170,
    ...change,
  };
}

/** Puts a fake artefact into a cache. @returns its folder */
export function putArtefact(folder: string, change: Partial<Manifest> = {}): string {
  const manifest = manifestOf(change);
  const directory = join(folder, artefactName(manifest.program, manifest.version, manifest.digest));
  mkdirSync(join(directory, CRDS_FOLDER), { recursive: true });
  writeFileSync(join(directory, WASM_FILE), WASM);
  writeFileSync(join(directory, CRDS_FOLDER, 'nodepools.yaml'), CRD);
  writeFileSync(join(directory, MANIFEST_FILE), JSON.stringify(manifest));
  return directory;
}
