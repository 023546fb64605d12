import { createHash } from 'node:crypto';
import type { Workload } from '../harness/scenario.ts';
import { defined } from '../model/defined.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import { claimNameOf, ordinalsOf } from '../model/stateful-set.ts';
import type { Container, Deployment, Job, KubeObject, PodSpec, PodTemplate } from '../model/kube.ts';
import type { Manifest } from './documents.ts';
import { readVolumes, restrictedTo } from './storage.ts';
import type { OwnClaims, ReadVolumes, Storage } from './storage.ts';

/** A user's workload, with the volumes that this world provides. */
export interface UserWorkload {
  /** The value of WORKLOAD_LABEL on its pods: `namespace.name`. */
  readonly name: string;
  /** `Deployment shop/web` */
  readonly title: string;
  readonly where: string;
  readonly kind: Workload['kind'];
  readonly namespace: string;
  /** Number of pods at once; 0 for a DaemonSet. */
  readonly replicas: number;
  /** Each pod is created when the one before is ready. */
  readonly ordered: boolean;
  /** The object to create. */
  readonly object: KubeObject;
  /** The template of `object`, with requests derived from limits, and bound to the zones of its volumes. */
  readonly template: PodTemplate;
  /** When the CronJob starts runs of which this is one. */
  readonly schedule?: { readonly text: string; readonly timeZone?: string };
  readonly volumes: Pick<ReadVolumes, 'hasClaims' | 'immediate' | 'shared' | 'classes' | 'existingZones'>;
  readonly notes: readonly string[];
}

const MAX_LABEL_VALUE = 63;
const HASH_DIGITS = 8;

/** Reads a workload of one of those kinds, or a CronJob as one run of it, that the API has accepted. */
export function readWorkload(manifest: Manifest, storage: Storage): UserWorkload {
  const { kind: writtenKind, where, object: writtenObject } = manifest;
  const { namespace = '', name = '' } = writtenObject.metadata;
  const label = labelOf(`${namespace}.${name}${writtenKind === 'Deployment' ? '' : `.${writtenKind.toLowerCase()}`}`);
  const title = `${writtenKind} ${namespace}/${name}`;
  const cron = writtenKind === 'CronJob' ? (writtenObject as CronJob) : undefined;
  const object = cron === undefined ? writtenObject : runOf(cron);
  const kind = cron === undefined ? writtenKind : 'Job';
  const written = object as unknown as WrittenWorkload;
  const { volumeClaimTemplates = [], ...spec } = written.spec;
  const volumes = readVolumes(namespace, spec.template.spec, ownClaims(name, volumeClaimTemplates, written), storage);
  const template = labelled({ ...spec.template, spec: volumes.spec }, label);
  return {
    name: label,
    title,
    where,
    kind: kind as Workload['kind'],
    namespace,
    replicas: replicasOf(kind, written),
    ordered: kind === 'StatefulSet' && spec.podManagementPolicy !== 'Parallel',
    object: {
      ...object,
      spec: { ...spec, template, ...(volumes.templates.length === 0 ? {} : { volumeClaimTemplates: volumes.templates }) },
    } as KubeObject,
    template: { ...template, spec: restrictedTo(withRequests(withOwnClaims(template.spec, volumes.templates, name)), volumes.zones) },
    ...defined({ schedule: cron && { text: cron.spec.schedule, ...defined({ timeZone: cron.spec.timeZone }) } }),
    volumes,
    notes: [...volumes.notes.map((note) => `${title}: ${note}`), ...jobNotes(title, { kind, suspend: spec.suspend === true, cron })],
  };
}

/** How Jobs differ here from those of a real cluster. */
function jobNotes(title: string, { kind, suspend, cron }: { kind: string; suspend: boolean; cron: CronJob | undefined }): string[] {
  if (kind !== 'Job') return [];
  if (suspend) return [`${title}: it is suspended, so it has no pods`];
  return [
    ...(cron === undefined ? [] : [`${title}: run once, whatever its schedule ${cron.spec.schedule} says`]),
    `${title}: its pods run until they are deleted, since images are not run`,
  ];
}

interface WrittenWorkload {
  readonly spec: Deployment['spec'] &
    Job['spec'] & {
      readonly podManagementPolicy?: string;
      readonly volumeClaimTemplates?: readonly KubeObject[];
      readonly ordinals?: { readonly start?: number };
    };
}

interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly jobTemplate: { readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>; readonly spec: Job['spec'] };
  };
}

/** The Job of one run, as the CronJob controller creates it. */
function runOf({ metadata, spec: { jobTemplate, suspend } }: CronJob): KubeObject {
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const spec = suspend === true ? { ...jobTemplate.spec, suspend } : jobTemplate.spec;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${metadata.name}-${RUN}`, ...defined({ namespace: metadata.namespace, labels, annotations }) },
    spec,
  } as KubeObject;
}

const RUN = 'scheduled';

/** The run of a CronJob that starts at this time: another Job than other runs, named like those of the CronJob controller. */
export function runAt<T extends UserWorkload>(run: T, atMs: number): T {
  const minute = Math.floor(atMs / MINUTE_MS);
  const { metadata } = run.object;
  const name = labelOf(`${run.name}.${minute}`);
  const { spec } = run.object as Job;
  return {
    ...run,
    name,
    object: {
      ...run.object,
      metadata: { ...metadata, name: `${(metadata.name ?? '').slice(0, -`-${RUN}`.length)}-${minute}` },
      spec: { ...spec, template: labelled(spec.template, name) },
    },
    template: labelled(run.template, name),
  };
}

const MINUTE_MS = 60_000;

/** The template, with an added label by which the history knows its pods. */
function labelled(template: PodTemplate, label: string): PodTemplate {
  return { ...template, metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [WORKLOAD_LABEL]: label } } };
}

/** A valid label value that is unique for each object. */
function labelOf(full: string): string {
  if (full.length <= MAX_LABEL_VALUE) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS);
  return `${full.slice(0, MAX_LABEL_VALUE - HASH_DIGITS - 1)}-${hash}`;
}

function replicasOf(kind: string, { spec }: WrittenWorkload): number {
  if (kind === 'DaemonSet' || spec.paused === true || spec.suspend === true) return 0;
  return kind === 'Job' ? Math.min(spec.parallelism ?? 1, spec.completions ?? Infinity) : (spec.replicas ?? 1);
}

/** The claims of a StatefulSet's pods, by template. */
function ownClaims(setName: string, templates: readonly KubeObject[], { spec }: WrittenWorkload): OwnClaims[] {
  return templates.map((template) => ({
    template,
    names: ordinalsOf(spec).map((ordinal) => claimNameOf(template.metadata.name ?? '', setName, ordinal)),
  }));
}

/** The spec of a StatefulSet's first pod. */
function withOwnClaims(spec: PodSpec, templates: readonly KubeObject[], setName: string): PodSpec {
  if (templates.length === 0) return spec;
  const own = templates.map(({ metadata: { name = '' } }) => ({
    name,
    persistentVolumeClaim: { claimName: claimNameOf(name, setName, 0) },
  }));
  return { ...spec, volumes: [...own, ...(spec.volumes ?? [])] };
}

/** Sets missing requests to the limits: the API's default for containers. */
function withRequests(spec: PodSpec): PodSpec {
  const filled = <T extends Container>(container: T): T => {
    const { limits, requests } = container.resources ?? {};
    return limits === undefined ? container : { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
  };
  return {
    ...spec,
    containers: spec.containers.map(filled),
    ...defined({ initContainers: spec.initContainers?.map(filled) }),
  };
}
