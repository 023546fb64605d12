import { z } from 'zod';
import { userNameOf } from '../../model/service-account.ts';
import type { ServiceAccountName } from '../../model/service-account.ts';
import type { Target } from '../target.ts';
import { applyManifests } from './apply.ts';
import type { Manifest } from './apply.ts';
import { readManifests } from './manifest-files.ts';
import { TargetFileError } from './target-file.ts';

/** What a target's file says about its rights. */
interface RightsFields {
  readonly serviceAccount?: ServiceAccountName | undefined;
  readonly rbac?: string | undefined;
}

/**
 * The target with the rights that its file gives it: those of its service account, by the roles in `rbac`. Without both it may do
 * everything.
 * @throws TargetFileError
 */
export function withRights(path: string, { serviceAccount, rbac }: RightsFields, target: Target): Target {
  if (serviceAccount === undefined && rbac === undefined) return target;
  if (serviceAccount === undefined || rbac === undefined)
    throw new TargetFileError(`${path}: serviceAccount and rbac need each other: whose rights, and the file of its roles and bindings`);
  const roles = readManifests(path, 'rbac', rbac);
  if (!roles.some((manifest) => isBoundTo({ where: `${path}: rbac: ${rbac}`, manifest, account: serviceAccount })))
    throw new TargetFileError(
      `${path}: rbac: no binding in ${rbac} has the subject ServiceAccount ${serviceAccount.namespace}/${serviceAccount.name}`,
    );
  return {
    ...target,
    serviceAccount,
    install: async (site) => {
      await applyManifests(site, roles);
      await target.install(site);
    },
  };
}

/** The subjects of a binding; other manifests have none. */
const bindingSchema = z.object({
  subjects: z.array(z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() }), 'must be a list').nullish(),
});

function isBoundTo({ where, manifest, account }: { where: string; manifest: Manifest; account: ServiceAccountName }): boolean {
  const { data, error } = bindingSchema.safeParse(manifest);
  if (data === undefined) {
    const [issue] = error.issues;
    throw new TargetFileError(`${where}: ${manifest.kind} ${manifest.metadata.name}: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const groups = [`system:serviceaccounts:${account.namespace}`, 'system:serviceaccounts', 'system:authenticated'];
  return (data.subjects ?? []).some(({ kind, name, namespace = manifest.metadata.namespace }) => {
    if (kind === 'Group') return groups.includes(name);
    if (kind === 'User') return name === userNameOf(account);
    return kind === 'ServiceAccount' && name === account.name && namespace === account.namespace;
  });
}
