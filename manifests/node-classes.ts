import { CLUSTER_FIELDS } from '../model/node-class.ts';
import type { UserNodeClass } from '../model/node-class.ts';
import { ROOT_VOLUME } from '../model/root-volume.ts';
import type { Manifest } from './documents.ts';
import { NODE_CLASS } from './kinds.ts';

/** The part of an EC2NodeClass that is read here; the API has validated the types. */
export interface NodeClassSpec {
  readonly amiFamily?: string;
  readonly amiSelectorTerms?: readonly { readonly alias?: string }[];
  readonly subnetSelectorTerms?: readonly object[];
  readonly userData?: string;
  readonly kubelet?: {
    readonly maxPods?: number;
    readonly podsPerCore?: number;
    readonly kubeReserved?: Readonly<Record<string, string>>;
    readonly systemReserved?: Readonly<Record<string, string>>;
    readonly evictionHard?: Readonly<Record<string, string>>;
  };
  readonly blockDeviceMappings?: readonly BlockDevice[];
  readonly instanceStorePolicy?: 'RAID0';
}

/** A volume of an instance. */
export interface BlockDevice {
  readonly deviceName?: string;
  readonly rootVolume?: boolean;
  readonly ebs?: { readonly volumeSize?: string | number };
}

/** A class as it is applied, with notes on what differs and what has no effect. */
interface ReadClass {
  readonly nodeClass: UserNodeClass;
  readonly notes: readonly string[];
}

/** The image family whose machines boot in this world. */
const FAMILY = 'AL2023';
/** Where pods of other families keep their data, if not on the root volume that all have here. */
const DATA_DEVICES: Readonly<Record<string, string>> = {
  Bottlerocket: '/dev/xvdb',
  Windows2019: '/dev/sda1',
  Windows2022: '/dev/sda1',
  Windows2025: '/dev/sda1',
};
/** Karpenter waits for these without end: this world has none. */
const LEFT_OUT: readonly string[] = ['placementGroupSelector'];

/** What has an effect on nodes and instances here, and how. Everything else reaches the target, EC2 or the kubelet, which ignores it. */
const EFFECTS: Readonly<Record<string, string>> = {
  'kubelet.maxPods': '',
  'kubelet.podsPerCore': '',
  'kubelet.kubeReserved': '',
  'kubelet.systemReserved': '',
  'kubelet.evictionHard': '',
  userData: ' (its NodeConfig; scripts are not run)',
  blockDeviceMappings: ' (the size of the root volume)',
  instanceStorePolicy: '',
  tags: '',
};

/**
 * Reads an EC2NodeClass (karpenter.k8s.aws/v1) for targets that apply classes. Another image family is replaced by the one that
 * boots here: its user data is left out, and its data volume becomes the root volume.
 */
export function readNodeClass({ object }: Manifest): ReadClass {
  const { name = '' } = object.metadata;
  const written = specOf(object);
  const family = familyOf(written);
  const isOther = family !== FAMILY;
  const { userData, blockDeviceMappings, ...rest } = written;
  const adapted: NodeClassSpec = isOther ? { ...rest, ...ownRoot(family, blockDeviceMappings) } : written;
  const spec = Object.fromEntries(Object.entries(adapted).filter(([field]) => !isOfCluster(field) && !LEFT_OUT.includes(field)));
  const given = fieldsOf(spec);
  const left = Object.keys(written).filter((field) => LEFT_OUT.includes(field));
  const parts = [
    ...(isOther ? [`${family} does not boot in this world: its nodes have ${FAMILY}`] : []),
    ...(isOther && userData !== undefined ? [`its userData is left out, since it is for ${family}`] : []),
    ...replaced(written),
    ...listed(
      'applied',
      given.flatMap((field) => (field in EFFECTS ? [`${field}${EFFECTS[field] ?? ''}`] : [])),
    ),
    ...listed(
      'applied, but without effect in this world',
      given.filter((field) => !(field in EFFECTS)),
    ),
    ...listed('left out, since this world has none', left),
  ];
  return { nodeClass: { name, spec }, notes: parts.length === 0 ? [] : [`EC2NodeClass ${name}: ${parts.join('; ')}`] };
}

/** Notes on fields of a class that have no effect, if classes are not applied, and whether any but the cluster's is among them. */
export function describeIgnored({ object }: Manifest): { readonly notes: readonly string[]; readonly isIgnored: boolean } {
  const spec = specOf(object);
  const ignored = fieldsOf(spec).filter((field) => !isOfCluster(field));
  const parts = [...replaced(spec), ...listed('ignored', ignored)];
  return { notes: parts.length === 0 ? [] : [`EC2NodeClass ${object.metadata.name}: ${parts.join('; ')}`], isIgnored: ignored.length > 0 };
}

/** The classes of pools. @returns by the pool's name */
export function classesOfPools(pools: readonly Manifest[], classes: readonly UserNodeClass[]): ReadonlyMap<string, UserNodeClass> {
  return new Map(
    pools.map((pool) => {
      const { kind, name, isEc2 } = classRefOf(pool);
      const found = isEc2 ? classes.find((one) => one.name === name) : undefined;
      // A class with only the cluster's fields, under a name that no other has.
      return [pool.object.metadata.name ?? '', found ?? { name: isEc2 ? name : `${kind}-${name}`.toLowerCase(), spec: {} }];
    }),
  );
}

/** A difference between a pool's nodes here and in the user's cluster that no trial shows. */
export interface ClassDoubt {
  /** `unservable`: the user's cluster gets no nodes of it. `untestable`: they may be other ones. */
  readonly kind: 'unservable' | 'untestable';
  readonly why: string;
}

/**
 * Pools whose class has no spec, as Karpenter's definition permits, and if classes are applied, those whose class no manifest defines.
 * Their nodes have the target's defaults.
 * @returns by the pool's name
 */
export function classDoubts(
  pools: readonly Manifest[],
  classes: readonly Manifest[],
  appliesClasses: boolean,
): ReadonlyMap<string, ClassDoubt> {
  const doubts = new Map<string, ClassDoubt>();
  for (const pool of pools) {
    const { kind, name, isEc2 } = classRefOf(pool);
    const found = isEc2 ? classes.find(({ object }) => object.metadata.name === name) : undefined;
    const poolName = pool.object.metadata.name ?? '';
    if (found === undefined && appliesClasses) {
      const why = `NodePool ${poolName}: no manifest defines its class ${kind} ${name}: its nodes have the target's defaults`;
      doubts.set(poolName, { kind: 'untestable', why });
    }
    if (found !== undefined && !('spec' in found.object)) {
      const why = `NodePool ${poolName}: its class ${kind} ${name} has no spec: Karpenter never finds it ready, and here its nodes have the target's defaults`;
      doubts.set(poolName, { kind: 'unservable', why });
    }
  }
  return doubts;
}

function classRefOf({ object }: Manifest): { readonly kind: string; readonly name: string; readonly isEc2: boolean } {
  const { group, kind, name } = (object as unknown as NodePoolWithClass).spec.template.spec.nodeClassRef;
  return { kind, name, isEc2: `${group}/${kind}` === NODE_CLASS };
}

interface NodePoolWithClass {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string } };
    };
  };
}

function specOf(object: Manifest['object']): NodeClassSpec {
  return (object as unknown as { readonly spec?: NodeClassSpec }).spec ?? {};
}

function isOfCluster(field: string): boolean {
  return (CLUSTER_FIELDS as readonly string[]).includes(field);
}

/** Its own family, or that of its images' alias, as in `al2023@latest`. */
function familyOf({ amiFamily, amiSelectorTerms = [] }: NodeClassSpec): string {
  const [alias] = amiSelectorTerms.flatMap((term) => term.alias?.split('@')[0] ?? []);
  if (amiFamily !== undefined || alias === undefined) return amiFamily ?? FAMILY;
  const families = ['AL2', FAMILY, ...Object.keys(DATA_DEVICES)];
  return families.find((family) => family.toLowerCase() === alias.toLowerCase()) ?? alias;
}

/** The volume on which pods of another family keep their data, as the root volume. */
function ownRoot(family: string, mappings: readonly BlockDevice[] = []): Pick<NodeClassSpec, 'blockDeviceMappings'> {
  const marked = mappings.find(({ rootVolume }) => rootVolume === true);
  const device = DATA_DEVICES[family] ?? ROOT_VOLUME.device;
  const data = marked ?? (family === 'Custom' ? mappings.at(-1) : mappings.find(({ deviceName }) => deviceName === device));
  return data === undefined ? {} : { blockDeviceMappings: [{ ...data, deviceName: ROOT_VOLUME.device }] };
}

/** Its fields, with those of the kubelet one by one. */
function fieldsOf(spec: object): string[] {
  return Object.entries(spec).flatMap(([field, value]) =>
    field === 'kubelet' ? Object.keys(value as object).map((key) => `kubelet.${key}`) : [field],
  );
}

function replaced(spec: NodeClassSpec): string[] {
  const fields = Object.keys(spec).filter(isOfCluster);
  if (fields.length === 0) return [];
  const zones = spec.subnetSelectorTerms === undefined ? '' : ', which has a subnet in every zone';
  return [`${fields.join(', ')} are replaced by the world's own${zones}`];
}

function listed(what: string, fields: readonly string[]): string[] {
  return fields.length === 0 ? [] : [`${what}: ${fields.join(', ')}`];
}
