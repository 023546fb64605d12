import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../model/package-root.ts';

/**
 * Writes `fixtures/data/kubernetes/default-roles.json`: the roles and bindings that an API server with RBAC creates, from the test
 * data of its sources.
 *
 *     npx node fidelity/default-roles/generate.ts GOMODCACHE VERSION
 *
 * GOMODCACHE is the folder of Go's module cache (`go env GOMODCACHE`) with k8s.io/kubernetes at v1.VERSION; VERSION is, for example,
 * 34.4.
 */
const [moduleCache, version] = process.argv.slice(2);
if (moduleCache === undefined || version === undefined) throw new Error('usage: generate.ts GOMODCACHE VERSION');

const FILE = join(packageRoot(), 'fixtures/data/kubernetes/default-roles.json');
const FOLDER = join(moduleCache, `k8s.io/kubernetes@v1.${version}`, 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata');
const PARTS = [
  'cluster-roles',
  'controller-roles',
  'namespace-roles',
  'cluster-role-bindings',
  'controller-role-bindings',
  'namespace-role-bindings',
];

const objects = PARTS.flatMap((part) => (parse(readFileSync(join(FOLDER, `${part}.yaml`), 'utf8')) as { items: unknown[] }).items);
mkdirSync(dirname(FILE), { recursive: true });
writeFileSync(FILE, `[\n${objects.map((object) => JSON.stringify(object)).join(',\n')}\n]\n`);
console.log(`${objects.length} roles and bindings`);
