import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { LoadError } from '../harness/load-error.ts';
import type { KubeObject, Pod, PodSpec } from '../model/kube.ts';
import { packageRoot } from '../model/package-root.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { readText } from '../wire/wire.ts';
import { createApiServer } from '../world/kube/api-server.ts';
import type { ApiServer } from '../world/kube/api-server.ts';
import type { Manifest } from './documents.ts';
import type { UserWorkload } from './workloads.ts';

/** Longer than any controller of the API server needs to see a change. */
const SETTLED_MS = 100;
/** Karpenter's CustomResourceDefinitions, as in its chart. */
const DEFINITIONS = ['karpenter.sh_nodepools.yaml', 'karpenter.k8s.aws_ec2nodeclasses.yaml'];

/** Validates objects with a temporary API server that has Karpenter's definitions. */
export interface Validator {
  /** The kinds that it serves. */
  readonly served: readonly Pick<Manifest, 'apiVersion' | 'kind'>[];
  /** Whether it serves a kind. */
  serves(manifest: Manifest): boolean;
  isNamespaced(manifest: Manifest): boolean;
  /** Creates an object like `kubectl apply`, and rejects unknown fields. @throws LoadError with the API's message */
  create(manifest: Manifest): Promise<void>;
  /** Lets what was created take effect: quotas do so a moment later. */
  settle(): Promise<void>;
  /** The spec of a workload's pods as the API admits them, or why it rejects them. Creates none. */
  admitPod(workload: UserWorkload): Promise<{ readonly spec: PodSpec } | { readonly refusal: string }>;
}

/** Runs `work` with a validator. */
export async function withValidator<T>(work: (validator: Validator) => Promise<T>): Promise<T> {
  const random = createRandom(0);
  const timeline = createVirtualTimeline({ startMs: 0, random: random.fork('timeline') });
  const server = createApiServer({ clock: timeline.scope('api-server'), random: random.fork('api-server') });
  try {
    return await timeline.run(
      (async () => {
        for (const file of DEFINITIONS) await define(server, file);
        return work(validatorOn(server, timeline.scope('validation')));
      })(),
    );
  } finally {
    server.stop();
  }
}

async function define(server: ApiServer, file: string): Promise<void> {
  const definition = parse(readFileSync(join(packageRoot(), 'fixtures/data/karpenter', file), 'utf8')) as KubeObject;
  const refusal = await post(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  if (refusal !== undefined) throw new Error(`${file}: ${refusal}`);
}

function validatorOn(server: ApiServer, clock: Clock): Validator {
  const resourceOf = ({ apiVersion, kind }: Manifest): ReturnType<ApiServer['resources']['byKind']> => {
    const resource = server.resources.byKind(apiVersion, kind);
    const served = resource === undefined || resource.group === '' ? resource?.version : `${resource.group}/${resource.version}`;
    return served === apiVersion ? resource : undefined;
  };
  return {
    served: server.resources
      .all()
      .map(({ group, version, kind }) => ({ apiVersion: group === '' ? version : `${group}/${version}`, kind })),
    serves: (manifest) => resourceOf(manifest) !== undefined,
    isNamespaced: (manifest) => resourceOf(manifest)?.namespaced === true,
    create: async (manifest) => {
      const resource = resourceOf(manifest);
      if (resource === undefined) throw new Error(`${manifest.kind} is not served`);
      const { object, apiVersion, where } = manifest;
      const root = resource.group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
      const scope = resource.namespaced ? `/namespaces/${object.metadata.namespace ?? ''}` : '';
      const refusal = await post(server, `${root}${scope}/${resource.plural}`, object);
      if (refusal !== undefined) throw new LoadError(`${where}: the API rejects it: ${refusal}`);
    },
    settle: () => clock.sleep(SETTLED_MS),
    admitPod: async ({ namespace, template }) => {
      const metadata = { ...template.metadata, generateName: 'pod-', namespace };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec };
      const { refusal, body } = await send(server, `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
      return refusal === undefined ? { spec: (body as Pod).spec } : { refusal };
    },
  };
}

/** @returns the API's error message, if any */
async function post(server: ApiServer, path: string, object: object): Promise<string | undefined> {
  return (await send(server, `${path}?fieldValidation=Strict`, object)).refusal;
}

/** @returns the API's error message, if any, and its response */
async function send(
  server: ApiServer,
  path: string,
  object: object,
): Promise<{ readonly refusal: string | undefined; readonly body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', path, headers, body: JSON.stringify(object) };
  const caller = { principal: 'scenario', incarnation: 1, span: 0 } as const;
  const { status, body } = await server.backend.handle(request, server.backend.describe(request), caller);
  const text = await readText(body);
  const parsed = JSON.parse(text) as { message?: string };
  return { refusal: status < 400 ? undefined : (parsed.message ?? `status ${status}`), body: parsed };
}
