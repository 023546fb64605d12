import { isDeepStrictEqual } from 'node:util';
import { withCondition } from '../../../model/conditions.ts';
import { defined } from '../../../model/defined.ts';
import type { Condition } from '../../../model/kube.ts';
import { formatTime } from '../../../model/time.ts';
import { forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import type { ApiObject, Resource, ResourceRules } from '../resource.ts';
import { checkDnsLabel, checkDnsSubdomain } from '../../../protocols/kube/names.ts';
import { crdShape } from '../validation/shapes.ts';
import type { Crd } from '../validation/shapes.ts';
import { compileRules } from '../validation/custom/cel/rules.ts';
import { withDefaults as withSchemaDefaults } from '../validation/custom/defaults.ts';
import { prune } from '../validation/custom/prune.ts';
import type { ConversionWebhook, Converter } from '../webhooks/configuration.ts';
import { clientDefaults, validateClientConfig, validateReviewVersions } from './client-configs.ts';
import { customRules } from './custom.ts';

/** The finalizer that keeps a definition until its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * CustomResourceDefinitions. In the real server a controller sets the conditions some milliseconds later; here a definition is
 * established and served as soon as it is created. A schema must exist and its CEL rules must compile, but it is not checked to be
 * structural.
 */
export const crdRules: ResourceRules = {
  shape: crdShape,
  defaults: (object) => {
    const spec = specOf(object);
    const { names } = spec;
    const conversion = withDefaults(conversionOf(object));
    const singular = names.singular ?? names.kind.toLowerCase();
    const listKind = names.listKind ?? `${names.kind}List`;
    return { ...object, spec: { ...spec, conversion, names: { ...names, singular, listKind } } };
  },
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
  admit: (object, _lookup, old) => (old === undefined ? object : withStorageVersion(object)),
  termination: {
    begin: (object, nowMs) => {
      const { finalizers = [] } = object.metadata;
      const { conditions = [] } = (object.status ?? {}) as { conditions?: Condition[] };
      const pending: Condition = {
        type: 'Terminating',
        status: 'True',
        lastTransitionTime: formatTime(nowMs),
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      };
      const metadata = { ...object.metadata, finalizers: [...new Set([...finalizers, CLEANUP_FINALIZER])] };
      return { ...object, metadata, status: { ...(object.status as object), conditions: withCondition(conditions, pending) } };
    },
    isHeld: () => false,
  },
  validate: (object, old) => [...validate(object), ...ruleErrors(specOf(object).versions, old === undefined ? [] : specOf(old).versions)],
  validateUpdate: (object, old) => {
    const [next, before] = [specOf(object), specOf(old)];
    const immutable = (field: string, value: unknown, was: unknown): FieldError[] =>
      isDeepStrictEqual(value, was) ? [] : [invalid(field, value, 'field is immutable')];
    return [
      ...immutable('spec.group', next.group, before.group),
      ...immutable('spec.names.plural', next.names.plural, before.names.plural),
      ...immutable('spec.scope', next.scope, before.scope),
      ...immutable('spec.names.kind', next.names.kind, before.names.kind),
      ...storedVersionsOf(object).flatMap((name, index) =>
        next.versions.some((version) => version.name === name)
          ? []
          : [invalid(`status.storedVersions[${index}]`, name, missingStoredVersion(name))],
      ),
    ];
  },
};

/** The versions in which objects may be stored. */
function storedVersionsOf({ status }: ApiObject): readonly string[] {
  return (status as { storedVersions?: readonly string[] } | undefined)?.storedVersions ?? [];
}

/** A new storage version is one more in which objects may be stored. */
function withStorageVersion(object: ApiObject): ApiObject {
  const storage = specOf(object).versions.find((version) => version.storage);
  const storedVersions = storedVersionsOf(object);
  if (storage === undefined || storedVersions.includes(storage.name)) return object;
  return { ...object, status: { ...(object.status as object), storedVersions: [...storedVersions, storage.name] } };
}

function missingStoredVersion(name: string): string {
  return `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
}

function specOf(object: ApiObject): Crd['spec'] {
  return object.spec as Crd['spec'];
}

/** As `apiextensions-apiserver/pkg/apis/apiextensions/validation` does, for everything except schemas. */
function validate(object: ApiObject): FieldError[] {
  const { group, names, versions, scope } = specOf(object);
  const errors: FieldError[] = [];
  if (object.metadata.name !== `${names.plural}.${group}`) {
    errors.push(invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (group === '') errors.push(required('spec.group'));
  else errors.push(...checkDnsSubdomain(group).map((problem) => invalid('spec.group', group, problem)));
  if (scope === undefined || scope === '') errors.push(required('spec.scope'));
  else if (scope !== 'Namespaced' && scope !== 'Cluster') errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.push(invalid('spec.versions', versions.map(shownVersion), 'must have exactly one version marked as storage version'));
    const [first, ...others] = versions.filter((version) => version.storage).map(({ name }) => name);
    for (const name of others) errors.push(invalid('status.storedVersions', [first], `must have the storage version ${name}`));
  }
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version.name)) errors.push(invalid(`spec.versions[${index}].name`, version.name, 'must contain unique version names'));
    seen.add(version.name);
    if (version.schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    const problems = checkDnsLabel(version.name);
    errors.push(...problems.map((problem) => invalid(`spec.versions[${index}].name`, version.name, problem)));
  }
  errors.push(...conversionErrors(object));
  for (const part of ['plural', 'singular', 'kind', 'listKind'] as const) {
    const name = names[part] ?? '';
    if (name === '') errors.push(required(`spec.names.${part}`));
    else errors.push(...checkDnsLabel(name.toLowerCase()).map((problem) => invalid(`spec.names.${part}`, name, problem)));
  }
  return errors;
}

/**
 * The errors in the CEL rules of the versions. Schemas that an update leaves unchanged are not compiled again.
 * @param old the versions before an update
 */
function ruleErrors(versions: readonly CrdVersion[], old: readonly CrdVersion[]): FieldError[] {
  const [first, ...others] = versions.map((version) => version.schema?.openAPIV3Schema);
  // The server's internal type has schemas that all versions share at the top.
  const shared = others.every((schema) => isDeepStrictEqual(schema, first));
  return (shared ? versions.slice(0, 1) : versions).flatMap(({ name, schema }, index) => {
    const now = schema?.openAPIV3Schema;
    const before = old.find((version) => version.name === name)?.schema?.openAPIV3Schema;
    if (now === undefined || isDeepStrictEqual(now, before)) return [];
    const path = shared ? 'spec.validation.openAPIV3Schema' : `spec.versions[${index}].schema.openAPIV3Schema`;
    return compileRules(now, path).errors;
  });
}

/** A version as shown in messages: the server's internal type, which has schemas that all versions share at the top. */
function shownVersion({ name, served, storage }: CrdVersion): object {
  const none = { Deprecated: false, DeprecationWarning: null, Schema: null, Subresources: null };
  return { Name: name, Served: served, Storage: storage, ...none, AdditionalPrinterColumns: null, SelectableFields: null };
}

/**
 * The resources that a definition defines: one for each served version, the stored one first.
 * @param converterOf makes the converter of a definition with a webhook. With the strategy `None`, only the type of an object changes
 * @param redefinedAt the revision at which the definition last changed, if it did
 */
export function resourcesOf(
  definition: ApiObject,
  converterOf?: (webhook: ConversionWebhook) => Converter,
  redefinedAt?: number,
): Resource[] {
  const { group, names, scope, versions } = specOf(definition);
  const webhook = webhookOf(definition);
  const converter = webhook && converterOf?.(webhook);
  const stored = versions.find((one) => one.storage);
  if (stored === undefined) return [];
  const served = versions.filter((version) => version.served).sort((a, b) => Number(b.storage) - Number(a.storage));
  return served.map((version) => {
    const schema = version.schema?.openAPIV3Schema;
    const fields = (version.selectableFields ?? []).map((field) => field.jsonPath);
    const scale = version.subresources?.scale;
    return {
      id: `${names.plural}.${group}`,
      group,
      version: version.name,
      storageVersion: stored.name,
      plural: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      kind: names.kind,
      listKind: names.listKind ?? `${names.kind}List`,
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      ...defined({
        columns: version.additionalPrinterColumns?.map(columnOf),
        scale: scale && scaleOf(scale),
        conversion:
          webhook === undefined
            ? retyping(group, version, versions)
            : converter && {
                toStored: (object: ApiObject) => converter.convert(object, `${group}/${stored.name}`),
                fromStored: (object: ApiObject) => converter.convert(object, `${group}/${version.name}`),
                remember: (object: ApiObject, shown: ApiObject) => converter.remember(object, shown),
              },
        // What webhooks make of an object is not pruned, and gets no defaults.
        redefinedAt: webhook === undefined ? redefinedAt : undefined,
      }),
      namespaced: scope === 'Namespaced',
      subresources: version.subresources?.status === undefined ? [] : ['status'],
      custom: true,
      generation: true,
      returnsDeleted: false,
      deletesCollection: true,
      createsOnPut: false,
      unconditionalUpdate: false,
      nameRule: 'subdomain',
      rules: schema === undefined ? {} : customRules(schema, fields, scale === undefined ? undefined : scaleOf(scale)),
    };
  });
}

/**
 * The strategy `None`: the type changes, and what the other version does not have is dropped. What is read first gets the defaults of
 * the version in which it was stored, by its present schema (`crdConversionRESTOptionsGetter` in `customresource_handler.go`).
 */
function retyping(group: string, version: CrdVersion, versions: readonly CrdVersion[]): NonNullable<Resource['conversion']> {
  const pruned = (object: ApiObject, { name, schema }: CrdVersion): ApiObject => {
    const typed = { ...object, apiVersion: `${group}/${name}` };
    return schema?.openAPIV3Schema === undefined ? typed : (prune(typed, schema.openAPIV3Schema) as ApiObject);
  };
  const read = (object: ApiObject): ApiObject => {
    const own = versions.find(({ name }) => `${group}/${name}` === object.apiVersion);
    const schema = own?.schema?.openAPIV3Schema;
    return own === undefined || schema === undefined ? object : (withSchemaDefaults(pruned(object, own), schema) as ApiObject);
  };
  const stored = versions.find(({ storage }) => storage) ?? version;
  return {
    toStored: (object) => (version === stored ? { ...object, apiVersion: `${group}/${stored.name}` } : pruned(object, stored)),
    fromStored: (object) => {
      const fresh = read(object);
      return fresh.apiVersion === `${group}/${version.name}` ? fresh : pruned(fresh, version);
    },
  };
}

interface Conversion {
  readonly strategy?: string;
  readonly webhook?: ConversionWebhook;
}

function conversionOf(definition: ApiObject): Conversion {
  return (definition.spec as { conversion?: Conversion }).conversion ?? {};
}

function withDefaults({ strategy, webhook, ...rest }: Conversion): Conversion {
  const { clientConfig } = webhook ?? {};
  const isAbsent = strategy === undefined && webhook === undefined;
  return {
    ...rest,
    ...defined({
      strategy: isAbsent ? 'None' : strategy,
      webhook: webhook && { ...webhook, ...defined({ clientConfig: clientConfig && clientDefaults(clientConfig) }) },
    }),
  };
}

/** The conversion webhook of a definition. */
function webhookOf(definition: ApiObject): ConversionWebhook | undefined {
  const { strategy, webhook } = conversionOf(definition);
  return strategy === 'Webhook' ? webhook : undefined;
}

/** `validateCustomResourceConversion`, with the names of the server's internal type. */
function conversionErrors(definition: ApiObject): FieldError[] {
  const at = 'spec.conversion';
  const { strategy = '', webhook } = conversionOf(definition);
  const client = `${at}.webhookClientConfig`;
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  if (strategy === '') return [required(`${at}.strategy`)];
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook';
    return [
      ...(strategy === 'None' ? [] : [notSupported(`${at}.strategy`, strategy, ['None', 'Webhook'])]),
      ...(clientConfig === undefined ? [] : [forbidden(client, why)]),
      ...(conversionReviewVersions.length === 0 ? [] : [forbidden(`${at}.conversionReviewVersions`, why)]),
    ];
  }
  const missing = clientConfig === undefined ? [required(client, 'required when strategy is set to Webhook')] : [];
  return [
    ...(clientConfig === undefined ? missing : validateClientConfig(clientConfig, client)),
    ...validateReviewVersions(conversionReviewVersions, `${at}.conversionReviewVersions`, ''),
  ];
}

type CrdVersion = Crd['spec']['versions'][number];

function columnOf(column: NonNullable<CrdVersion['additionalPrinterColumns']>[number]): NonNullable<Resource['columns']>[number] {
  const { name, type, jsonPath, format, description, priority } = column;
  return {
    name,
    type,
    jsonPath,
    ...defined({ format, description, priority }),
  };
}

function scaleOf(scale: NonNullable<NonNullable<CrdVersion['subresources']>['scale']>): NonNullable<Resource['scale']> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return { specReplicasPath, statusReplicasPath, ...defined({ labelSelectorPath }) };
}
