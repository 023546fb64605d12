import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defined } from '../../model/defined.ts';
import { packageRoot } from '../../model/package-root.ts';
import { NAMED_SCALARS, openApiName } from '../../protocols/kube/openapi.ts';
import { DESCRIPTIONS, loadKubeTypes } from '../../protocols/kube/types.ts';
import type { Description } from '../../protocols/kube/types.ts';

/**
 * Writes `fixtures/data/kubernetes-descriptions.json.gz`: what the OpenAPI document of a real server says of the types in
 * `kubernetes-types.json` and of their fields, for `kubectl explain`. The document in Kubernetes' sources lacks the possible values.
 * Run `generate.ts` first.
 *
 *     kubectl get --raw /openapi/v2 >openapi.json
 *     npx node fidelity/kubernetes-types/generate-descriptions.ts openapi.json
 */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: generate-descriptions.ts FILE (see kubectl get --raw /openapi/v2)');

interface Schema {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Readonly<Record<string, Schema>> };
const described: Record<string, Description> = {};
for (const [name, { fields }] of loadKubeTypes().all()) {
  const { description = '', properties = {} } = definitions[openApiName(name)] ?? {};
  const ofFields = <T>(of: (schema: Schema) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      Object.keys(fields).flatMap((field) => {
        const said = of(properties[field] ?? {});
        return said === undefined ? [] : [[field, said] as const];
      }),
    );
  const values = ofFields((schema) => schema.enum ?? schema.items?.enum);
  described[name] = {
    text: description,
    fields: ofFields((schema) => schema.description),
    ...defined({ values: Object.keys(values).length === 0 ? undefined : values }),
  };
}
for (const name of Object.keys(NAMED_SCALARS)) described[name] = { text: definitions[openApiName(name)]?.description ?? '', fields: {} };
const data = gzipSync(JSON.stringify(described), { level: 9 });
writeFileSync(join(packageRoot(), DESCRIPTIONS), data);
console.log(`${Object.keys(described).length} types, ${data.length} bytes`);
