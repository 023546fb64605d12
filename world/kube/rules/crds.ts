import { invalid } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, Resource, ResourceRules } from '../resource.ts';
import { crdShape } from '../validation/shapes.ts';
import type { Crd } from '../validation/shapes.ts';

/**
 * CustomResourceDefinitions. The real conditions are set by a controller some milliseconds later; here a definition is
 * established, and served, as soon as it is created. Schemas are stored, not yet enforced.
 */
export const crdRules: ResourceRules = {
  shape: crdShape,
  initialStatus: (object) => {
    const { names, versions } = specOf(object);
    const at = object.metadata.creationTimestamp;
    return {
      conditions: [
        { type: 'NamesAccepted', status: 'True', lastTransitionTime: at, reason: 'NoConflicts', message: 'no conflicts found' },
        {
          type: 'Established',
          status: 'True',
          lastTransitionTime: at,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ],
      acceptedNames: names,
      storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
    };
  },
  validate: (object) => {
    const { group, names, versions, scope } = specOf(object);
    const errors: FieldError[] = [];
    if (object.metadata.name !== `${names.plural}.${group}`) {
      errors.push(invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
    }
    if (scope !== 'Namespaced' && scope !== 'Cluster') {
      const message = `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`;
      errors.push({ reason: 'FieldValueNotSupported', field: 'spec.scope', message });
    }
    if (versions.filter((version) => version.storage).length !== 1) {
      errors.push(
        invalid(
          'spec.versions',
          versions.map((version) => version.name),
          'must have exactly one version marked as storage version',
        ),
      );
    }
    return errors;
  },
};

function specOf(object: ApiObject): Crd['spec'] {
  return object.spec as Crd['spec'];
}

/**
 * The resource that a definition defines. Only its storage version is served: there is no conversion.
 * @returns undefined when that version is not served
 */
export function resourceOf(definition: ApiObject): Resource | undefined {
  const { group, names, scope, versions } = specOf(definition);
  const version = versions.find((one) => one.storage);
  if (version === undefined || !version.served) return undefined;
  return {
    id: `${names.plural}.${group}`,
    group,
    version: version.name,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    namespaced: scope === 'Namespaced',
    subresources: version.subresources?.status === undefined ? [] : ['status'],
    custom: true,
    generation: true,
    unconditionalUpdate: false,
    nameRule: 'subdomain',
    rules: {},
  };
}
