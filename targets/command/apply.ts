import { z } from 'zod';
import { createKubeClient } from '../../clients/kube.ts';
import { KubeError } from '../../clients/kube-client.ts';
import type { KubeClient, ResourceType } from '../../clients/kube-client.ts';
import { defined } from '../../model/defined.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube.ts';
import { readText } from '../../wire/wire.ts';
import { exactPatch } from '../../clients/exact-patch.ts';
import type { TargetSite } from '../target.ts';

/** An object as in a file. */
export interface Manifest extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A real API server serves a new resource some moments after its definition was created. */
const SERVED_POLL_MS = 250;
const SERVED_TRIES = 120;

const manifestSchema = z.looseObject(
  {
    apiVersion: z.string('must be a string'),
    kind: z.string('must be a string'),
    metadata: z.looseObject({ name: z.string('must be a string'), namespace: z.string('must be a text').optional() }, 'must be an object'),
  },
  'must be a Kubernetes object',
);

/** What is wrong with a manifest; undefined if it can be applied. */
export function manifestProblem(value: unknown): string | undefined {
  const [issue] = manifestSchema.safeParse(value).error?.issues ?? [];
  return issue === undefined ? undefined : `${issue.path.length === 0 ? 'it' : issue.path.map(String).join('.')} ${issue.message}`;
}

const discoverySchema = z.object({ resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })) });

/**
 * Creates objects, or updates existing ones by merge patch, as an operator does with `kubectl apply`.
 * @param exactly fields of the spec that they had before and that are not given go
 */
export async function applyManifests(site: TargetSite, manifests: readonly Manifest[], exactly = false): Promise<void> {
  const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
  for (const manifest of manifests) await applyManifest(site, { kube, manifest, exactly });
}

/** Deletes an object; it is not an error if it is already gone. */
export async function removeManifest(site: TargetSite, manifest: Manifest): Promise<void> {
  const kube = createKubeClient({ wire: site.kube, clock: site.runtime.clock });
  const { name = '', namespace } = manifest.metadata;
  try {
    await kube.delete({ type: await resourceOf(site, manifest), name, ...defined({ namespace }) });
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
  }
}

async function applyManifest(
  site: TargetSite,
  { kube, manifest, exactly }: { readonly kube: KubeClient; readonly manifest: Manifest; readonly exactly: boolean },
): Promise<void> {
  const type = await resourceOf(site, manifest);
  const { name = '', namespace } = manifest.metadata;
  const object: KubeObject & { readonly spec?: unknown } = type.namespaced
    ? { ...manifest, metadata: { namespace: 'default', ...manifest.metadata } }
    : manifest;
  try {
    await kube.create(type, object);
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    const ref = { type, name, ...(type.namespaced ? { namespace: namespace ?? 'default' } : {}) };
    const old = exactly ? await kube.get<typeof object>(ref) : undefined;
    await kube.patch(ref, old === undefined ? object : { ...object, spec: exactPatch(old.spec, object.spec) });
  }
}

/** The resource of a kind, from API discovery, once it is served. */
async function resourceOf({ kube, runtime }: TargetSite, { apiVersion, kind }: Manifest): Promise<ResourceType> {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  for (let tries = 1; ; tries += 1) {
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
    const answer = await kube({ method: 'GET', path, headers: { accept: 'application/json' } });
    const body = await readText(answer.body);
    const { resources } = answer.status === 200 ? discoverySchema.parse(JSON.parse(body)) : { resources: [] };
    const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found !== undefined) return { group, version, plural: found.name, kind, namespaced: found.namespaced };
    if (tries >= SERVED_TRIES)
      throw new Error(`the API server has no kind ${kind} in ${apiVersion}; apply its CustomResourceDefinition first`);
    await runtime.clock.sleep(SERVED_POLL_MS);
  }
}
