import type { Volume } from '../../../model/kube.ts';
import { parseQuantity } from '../../../model/quantity.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { checkDnsLabel, checkDnsSubdomain } from '../../../protocols/kube/names.ts';
import { validateClaimSpec } from './claims.ts';
import type { ClaimSpec } from './claims.ts';
import { VOLUME_FIELDS, validateFieldReference, validateResourceReference } from './environment.ts';
import type { FieldReferences } from './environment.ts';
import { validateFilePath, validateMode, validateNoBacksteps } from './paths.ts';

/* Volumes of pods: `ValidateVolumes` of `pkg/apis/core/validation`, without the sources of single clouds and old network storages. */

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

interface KeyToPath {
  readonly key?: string;
  readonly path?: string;
  readonly mode?: number;
}

interface DownwardFile extends FieldReferences {
  readonly path?: string;
  readonly mode?: number;
}

interface Projection {
  readonly secret?: { readonly name?: string; readonly items?: readonly KeyToPath[] };
  readonly configMap?: { readonly name?: string; readonly items?: readonly KeyToPath[] };
  readonly downwardAPI?: { readonly items?: readonly DownwardFile[] };
  readonly serviceAccountToken?: { readonly path?: string; readonly expirationSeconds?: number };
}

/** The sources that are looked into, with the fields of all of them. */
interface Source {
  readonly path?: string;
  readonly type?: string;
  readonly sizeLimit?: string;
  readonly secretName?: string;
  readonly name?: string;
  readonly defaultMode?: number;
  readonly items?: readonly (KeyToPath & DownwardFile)[];
  readonly claimName?: string;
  readonly server?: string;
  readonly driver?: string;
  readonly nodePublishSecretRef?: { readonly name?: string };
  readonly sources?: readonly Projection[];
  readonly volumeClaimTemplate?: { readonly metadata?: object; readonly spec?: ClaimSpec };
}

/** @returns the errors, and the names of the volumes that have none: only those can be mounted */
export function validateVolumes(
  volumes: readonly Volume[],
  field: string,
): { readonly errors: FieldError[]; readonly names: ReadonlySet<string> } {
  const names = new Set<string>();
  const errors = volumes.flatMap((volume, index) => {
    const path = `${field}[${index}]`;
    const { name = '', ...source } = volume;
    const [first, ...others] = Object.entries(source as Readonly<Record<string, Source>>);
    const own = first === undefined ? [required(path, 'must specify a volume type')] : validateSource(...first, `${path}.${first[0]}`);
    own.push(...others.map(([kind]) => forbidden(`${path}.${kind}`, 'may not specify more than 1 volume type')));
    if (name === '') own.push(required(`${path}.name`));
    else own.push(...checkDnsLabel(name).map((problem) => invalid(`${path}.name`, name, problem)));
    if (names.has(name)) own.push(duplicate(`${path}.name`, name));
    if (own.length === 0) names.add(name);
    return own;
  });
  return { errors, names };
}

function validateSource(kind: string, source: Source, field: string): FieldError[] {
  const { path = '', defaultMode, items = [] } = source;
  switch (kind) {
    case 'hostPath': {
      if (path === '') return [required(`${field}.path`)];
      const { type = '' } = source;
      const isKnown = HOST_PATH_TYPES.includes(type);
      return [...validateNoBacksteps(path, `${field}.path`), ...(isKnown ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)])];
    }
    case 'emptyDir': {
      const isNegative = parseQuantity(source.sizeLimit ?? '0').nanos < 0n;
      return isNegative ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : [];
    }
    case 'secret':
      return [...demanded(source.secretName, `${field}.secretName`), ...validateFiles(items, defaultMode, field)];
    case 'configMap':
      return [...demanded(source.name, `${field}.name`), ...validateFiles(items, defaultMode, field)];
    case 'persistentVolumeClaim':
      return demanded(source.claimName, `${field}.claimName`);
    case 'nfs': {
      const isRelative = path !== '' && !path.startsWith('/');
      return [
        ...demanded(source.server, `${field}.server`),
        ...demanded(path, `${field}.path`),
        ...(isRelative ? [invalid(`${field}.path`, path, 'must be an absolute path')] : []),
      ];
    }
    case 'csi': {
      const { driver = '', nodePublishSecretRef } = source;
      return [
        ...demanded(driver, `${field}.driver`),
        ...checkDnsSubdomain(driver.toLowerCase()).map((problem) => invalid(`${field}.driver`, driver, problem)),
        ...(nodePublishSecretRef === undefined ? [] : demanded(nodePublishSecretRef.name, `${field}.nodePublishSecretRef.name`)),
      ];
    }
    case 'downwardAPI':
      return [...validateMode(defaultMode, `${field}.defaultMode`), ...items.flatMap((file) => validateDownwardFile(file, field))];
    case 'projected':
      return [...validateMode(defaultMode, `${field}.defaultMode`), ...validateProjections(source.sources ?? [], field)];
    case 'ephemeral':
      return validateTemplate(source.volumeClaimTemplate, `${field}.volumeClaimTemplate`);
    default:
      return [];
  }
}

function demanded(value = '', field: string): FieldError[] {
  return value === '' ? [required(field)] : [];
}

function validateFiles(items: readonly KeyToPath[], defaultMode: number | undefined, field: string): FieldError[] {
  return [
    ...validateMode(defaultMode, `${field}.defaultMode`),
    ...items.flatMap((item, index) => validateKeyToPath(item, `${field}.items[${index}]`)),
  ];
}

function validateKeyToPath({ key, path = '', mode }: KeyToPath, field: string): FieldError[] {
  return [
    ...demanded(key, `${field}.key`),
    ...demanded(path, `${field}.path`),
    ...validateFilePath(path, `${field}.path`),
    ...validateMode(mode, `${field}.mode`),
  ];
}

/** The real server does not say which file. */
function validateDownwardFile({ path = '', mode, fieldRef, resourceFieldRef }: DownwardFile, field: string): FieldError[] {
  const errors = [...demanded(path, `${field}.path`), ...validateFilePath(path, `${field}.path`)];
  if (fieldRef !== undefined) {
    errors.push(...validateFieldReference(fieldRef, VOLUME_FIELDS, `${field}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      errors.push(invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef !== undefined) errors.push(...validateResourceReference(resourceFieldRef, `${field}.resourceFieldRef`, true));
  else errors.push(required(field, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(mode, `${field}.mode`)];
}

const PROJECTED = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken'] as const;

function validateProjections(sources: readonly Projection[], field: string): FieldError[] {
  const paths = new Set<string>();
  const take = (path: string, shown: string): FieldError[] => {
    const isTaken = path !== '' && paths.has(path);
    paths.add(path);
    return isTaken ? [invalid(field, shown, 'conflicting duplicate paths')] : [];
  };
  return sources.flatMap((source, index) => {
    const at = `${field}.sources[${index}]`;
    const [first, ...others] = PROJECTED.filter((kind) => source[kind] !== undefined);
    const extra = others.map(() => forbidden(at, 'may not specify more than 1 volume type per source'));
    return first === undefined ? [] : [...validateProjection(source, first, field, `${at}.${first}`, take), ...extra];
  });
}

function validateProjection(
  source: Projection,
  kind: (typeof PROJECTED)[number],
  field: string,
  at: string,
  take: (path: string, shown: string) => FieldError[],
): FieldError[] {
  switch (kind) {
    case 'secret':
    case 'configMap': {
      const { name = '', items = [] } = source[kind] ?? {};
      const files = items.flatMap((item, index) => [...validateKeyToPath(item, `${at}.items[${index}]`), ...take(item.path ?? '', name)]);
      return [...demanded(name, `${at}.name`), ...files];
    }
    case 'downwardAPI':
      return (source.downwardAPI?.items ?? []).flatMap((file) => [
        ...validateDownwardFile(file, at),
        ...take(file.path ?? '', file.path ?? ''),
      ]);
    case 'serviceAccountToken': {
      const { path = '', expirationSeconds: seconds = MIN_TOKEN_SECONDS } = source.serviceAccountToken ?? {};
      const problem =
        seconds < MIN_TOKEN_SECONDS
          ? 'may not specify a duration less than 10 minutes'
          : seconds > MAX_TOKEN_SECONDS
            ? 'may not specify a duration larger than 2^32 seconds'
            : undefined;
      return [
        ...(problem === undefined ? [] : [invalid(`${at}.expirationSeconds`, seconds, problem)]),
        ...demanded(path, `${field}.path`),
        ...validateFilePath(path, `${field}.path`),
      ];
    }
  }
}

/** Of the metadata of a claim's template, only labels and annotations may be set. */
function validateTemplate(template: Source['volumeClaimTemplate'], field: string): FieldError[] {
  if (template === undefined) return [required(field)];
  const set = Object.keys(template.metadata ?? {}).filter((part) => part !== 'labels' && part !== 'annotations');
  return [
    ...set.map((part) => forbidden(`${field}.metadata.${part}`, 'cannot be set')),
    ...validateClaimSpec(template.spec ?? {}, `${field}.spec`),
  ];
}
