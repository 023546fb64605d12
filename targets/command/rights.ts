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
  if (!roles.some((one) => isBoundTo(one, serviceAccount)))
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

function isBoundTo(manifest: Manifest, { namespace, name }: ServiceAccountName): boolean {
  const { subjects } = manifest as { readonly subjects?: unknown };
  if (!Array.isArray(subjects)) return false;
  return subjects.some((subject: { kind?: unknown; name?: unknown; namespace?: unknown }) => {
    const home = subject.namespace ?? manifest.metadata.namespace;
    return subject.kind === 'Group' || (subject.kind === 'ServiceAccount' && subject.name === name && home === namespace);
  });
}
