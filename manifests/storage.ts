import type { UserObject } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';
import type { KubeObject, NodeSelectorRequirement, PodSpec, Volume } from '../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../model/storage.ts';
import type { Manifest } from './documents.ts';
import { CLAIM, STORAGE_CLASS, VOLUME, typeOf } from './kinds.ts';

/** Provisioners whose volumes are in one zone, as this world provides them. */
const EBS = ['ebs.csi.aws.com', 'kubernetes.io/aws-ebs'];
const EBS_DRIVER = 'ebs.csi.aws.com';
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
/** Stands for the default class of the user's cluster, if no manifest defines it. */
const ASSUMED_DEFAULT = 'cluster-default';
/** Volumes that need a claim which no manifest can define. */
const UNSUPPORTED = ['ephemeral', 'awsElasticBlockStore', 'csi'];

/** The storage that manifests define, and classes that they only name. */
export interface Storage {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  /** The class of claims that name none. */
  readonly defaultClass: string;
}

/** A workload's volumes in this world. */
export interface ReadVolumes {
  readonly spec: PodSpec;
  /** The templates of claims that are kept. */
  readonly templates: readonly KubeObject[];
  /** Whether a volume ties pods to a zone. */
  readonly hasClaims: boolean;
  /** Zones that volumes restrict its pods to. */
  readonly zones: readonly NodeSelectorRequirement[];
  /** Volumes of its own that are created at once, in a zone that nobody chooses. */
  readonly immediate: readonly string[];
  /** Zones of volumes that claims of its own are bound to already. */
  readonly existingZones: readonly string[];
  /** Claims that only one node at a time can use, and that all its pods share. */
  readonly shared: readonly string[];
  readonly notes: readonly string[];
  /** Names of classes that claims use. */
  readonly classes: readonly string[];
}

export function readStorage(manifests: readonly Manifest[]): Storage {
  const ofType = <T extends KubeObject>(type: string): T[] =>
    manifests.filter((manifest) => typeOf(manifest) === type).map(({ object }) => object as T);
  const classes = ofType<StorageClass>(STORAGE_CLASS);
  const byDefault = classes.find(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true');
  return {
    claims: new Map(ofType<PersistentVolumeClaim>(CLAIM).map((claim) => [keyOf(claim.metadata.namespace, claim.metadata.name), claim])),
    volumes: new Map(ofType<PersistentVolume>(VOLUME).map((volume) => [volume.metadata.name ?? '', volume])),
    classes: new Map(classes.map((one) => [one.metadata.name ?? '', one])),
    defaultClass: byDefault?.metadata.name ?? ASSUMED_DEFAULT,
  };
}

function keyOf(namespace = 'default', name = ''): string {
  return `${namespace}/${name}`;
}

/**
 * Classes that claims name and no manifest defines: they are taken for EBS volumes that are created in the zone of their pod's
 * node, as in the classes that EKS documents.
 */
export function assumedClasses({ classes, defaultClass }: Storage, used: readonly string[]): UserObject[] {
  return [...new Set(used)]
    .filter((name) => !classes.has(name))
    .sort()
    .map((name) => {
      const object: StorageClass = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name, ...(name === defaultClass ? { annotations: { [IS_DEFAULT]: 'true' } } : {}) },
        provisioner: EBS_DRIVER,
        volumeBindingMode: 'WaitForFirstConsumer',
      };
      return { resource: 'storageclasses', object };
    });
}

/** What becomes of a claim. */
type Fate =
  | { readonly kind: 'kept'; readonly zones: readonly NodeSelectorRequirement[]; readonly isImmediate: boolean; readonly class?: string }
  /** An emptyDir takes its place. */
  | { readonly kind: 'replaced'; readonly why: string };

/** A template of a StatefulSet's claims, and the names that these have. */
export interface OwnClaims {
  readonly template: KubeObject;
  readonly names: readonly string[];
}

/**
 * A workload's volumes as this world provides them: EBS volumes stay as written, and tie pods to zones; any other volume that needs a
 * claim becomes an emptyDir.
 * @param sets the claims of a StatefulSet
 */
export function readVolumes(namespace: string, spec: PodSpec, sets: readonly OwnClaims[], storage: Storage): ReadVolumes {
  const templates = sets.map(({ template }) => template);
  const existing = existingClaims(namespace, sets, storage);
  const written = (spec.volumes ?? []).filter(({ name }) => !templates.some(({ metadata }) => metadata.name === name));
  const judged = written.map((volume) => ({ volume, fate: fateOfVolume(namespace, volume, storage) }));
  const own = templates.map((template) => ({ template, fate: fateOfClaim(template as PersistentVolumeClaim, storage) }));
  const replaced = [
    ...judged.flatMap(({ volume, fate }) => (fate?.kind === 'replaced' ? [{ name: volume.name, why: fate.why }] : [])),
    ...own.flatMap(({ template, fate }) => (fate.kind === 'replaced' ? [{ name: template.metadata.name ?? '', why: fate.why }] : [])),
  ];
  const isReplaced = (name: string): boolean => replaced.some((one) => one.name === name);
  const kept = [...judged, ...own].flatMap(({ fate }) => (fate?.kind === 'kept' ? [fate] : []));
  const volumes = [...written.filter(({ name }) => !isReplaced(name)), ...replaced.map(({ name }) => ({ name, emptyDir: {} }))];
  const namesOf = (test: (fate: Fate | undefined) => boolean): string[] => [
    ...judged.filter(({ fate }) => test(fate)).map(({ volume }) => volume.name),
    ...own.filter(({ fate }) => test(fate)).map(({ template }) => template.metadata.name ?? ''),
  ];
  return {
    spec: spec.volumes === undefined && replaced.length === 0 ? spec : { ...spec, volumes },
    templates: own.filter(({ fate }) => fate.kind === 'kept').map(({ template }) => template),
    hasClaims: kept.length > 0,
    zones: kept.flatMap(({ zones }) => zones),
    immediate: namesOf((fate) => fate?.kind === 'kept' && fate.isImmediate),
    shared: judged
      .filter(({ volume, fate }) => fate?.kind === 'kept' && isForOneNode(namespace, volume, storage))
      .map(({ volume }) => volume.persistentVolumeClaim?.claimName ?? ''),
    existingZones: [...new Set(existing.flatMap(({ zones }) => zones.flatMap(({ values }) => values ?? [])))].sort(),
    notes: replaced.map(({ name, why }) => `its volume ${name} is an emptyDir here, not bound to a zone: ${why}`),
    classes: [...kept, ...existing].flatMap((fate) => fate.class ?? []),
  };
}

/** @returns undefined for a volume that needs no claim */
function fateOfVolume(namespace: string, volume: Volume, storage: Storage): Fate | undefined {
  const unsupported = UNSUPPORTED.find((source) => source in volume);
  if (unsupported !== undefined) return { kind: 'replaced', why: `this world provides no volumes of the kind ${unsupported}` };
  const name = volume.persistentVolumeClaim?.claimName;
  if (name === undefined) return undefined;
  const claim = storage.claims.get(keyOf(namespace, name));
  return claim === undefined ? { kind: 'replaced', why: `the claim ${name} is not among the manifests` } : fateOfClaim(claim, storage);
}

function fateOfClaim(claim: PersistentVolumeClaim, storage: Storage): Fate {
  const { volumeName = '', storageClassName = storage.defaultClass } = claim.spec;
  const key = keyOf(claim.metadata.namespace, claim.metadata.name);
  const bound =
    storage.volumes.get(volumeName) ??
    [...storage.volumes.values()].find(
      ({ spec: { claimRef } }) => claimRef !== undefined && keyOf(claimRef.namespace, claimRef.name) === key,
    );
  if (bound !== undefined) return fateOfBound(bound);
  if (volumeName !== '') return { kind: 'replaced', why: `the volume ${volumeName} is not among the manifests` };
  const found = storage.classes.get(storageClassName);
  if (found === undefined && storageClassName === '') return { kind: 'replaced', why: 'no volume among the manifests is for its claim' };
  if (found === undefined) return { kind: 'kept', zones: [], isImmediate: false, class: storageClassName };
  if (!EBS.includes(found.provisioner)) return { kind: 'replaced', why: `this world has no ${found.provisioner}` };
  const zones = allowedZones(found);
  return { kind: 'kept', zones, isImmediate: found.volumeBindingMode !== 'WaitForFirstConsumer', class: storageClassName };
}

/** Any of its terms may hold. A term without zones allows all. */
function allowedZones({ allowedTopologies = [] }: StorageClass): NodeSelectorRequirement[] {
  const terms = allowedTopologies.map(
    ({ matchLabelExpressions = [] }) => matchLabelExpressions.find(({ key }) => key === LABEL.zone)?.values,
  );
  if (terms.length === 0 || terms.includes(undefined)) return [];
  return [{ key: LABEL.zone, operator: 'In', values: [...new Set(terms.flatMap((values) => values ?? []))] }];
}

/** What becomes of a StatefulSet's existing claims. */
function existingClaims(namespace: string, sets: readonly OwnClaims[], storage: Storage): Extract<Fate, { kind: 'kept' }>[] {
  const claims = sets.flatMap(({ names }) => names.flatMap((name) => storage.claims.get(keyOf(namespace, name)) ?? []));
  return claims.map((claim) => fateOfClaim(claim, storage)).filter((fate) => fate.kind === 'kept');
}

function fateOfBound({ metadata, spec }: PersistentVolume): Fate {
  const [term, ...others] = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const zones = (term?.matchExpressions ?? []).filter(({ key }) => key === LABEL.zone);
  if (spec.csi?.driver !== EBS_DRIVER || zones.length === 0 || others.length > 0)
    return { kind: 'replaced', why: `the volume ${metadata.name} is not one of ${EBS_DRIVER} with one zone` };
  return { kind: 'kept', zones, isImmediate: false };
}

function isForOneNode(namespace: string, { persistentVolumeClaim }: Volume, { claims }: Storage): boolean {
  const { accessModes = [] } = claims.get(keyOf(namespace, persistentVolumeClaim?.claimName))?.spec ?? {};
  return accessModes.every((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}

/** Pods that may run only where their volumes are: for feasibility, which looks at pods alone. */
export function restrictedTo(spec: PodSpec, zones: readonly NodeSelectorRequirement[]): PodSpec {
  if (zones.length === 0) return spec;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), ...zones] }));
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity } };
}
