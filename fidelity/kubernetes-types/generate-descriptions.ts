import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../model/package-root.ts';
import { openApiName } from '../../protocols/kube/openapi.ts';
import { DESCRIPTIONS, loadKubeTypes } from '../../protocols/kube/types.ts';
import type { Description } from '../../protocols/kube/types.ts';

/**
 * Writes `fixtures/data/kubernetes-descriptions.json.gz`: what the OpenAPI document says of the types in `kubernetes-types.json` and
 * of their fields, for `kubectl explain`. Run `generate.ts` first.
 *
 *     npx node fidelity/kubernetes-types/generate-descriptions.ts GOMODCACHE VERSION
 *
 * The arguments are those of `generate.ts`.
 */
const [moduleCache, kubeVersion] = process.argv.slice(2);
if (moduleCache === undefined || kubeVersion === undefined) throw new Error('usage: generate-descriptions.ts GOMODCACHE VERSION');

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const file = join(moduleCache, 'k8s.io', `kubernetes@v1.${kubeVersion}`, 'api/openapi-spec/swagger.json');
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Readonly<Record<string, Schema>> };
const described: Record<string, Description> = {};
for (const [name, { fields }] of loadKubeTypes().all()) {
  const { description = '', properties = {} } = definitions[openApiName(name)] ?? {};
  const texts = Object.keys(fields).map((field) => [field, properties[field]?.description ?? ''] as const);
  described[name] = { text: description, fields: Object.fromEntries(texts.filter(([, text]) => text !== '')) };
}
const data = gzipSync(JSON.stringify(described), { level: 9 });
writeFileSync(join(packageRoot(), DESCRIPTIONS), data);
console.log(`${Object.keys(described).length} types, ${data.length} bytes`);
