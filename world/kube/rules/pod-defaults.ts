import { defined } from '../../../model/defined.ts';
import { defaultClaimSpec } from './storage.ts';
import type { ClaimSpec } from '../validation/claims.ts';
import { canonicalQuantities } from '../quantities.ts';
import type { FullContainer } from '../validation/containers.ts';
import type { FullPodSpec } from '../validation/pod-spec.ts';

const GRACE_SECONDS = 30;
/** The effect of a negative grace period. */
const LEAST_GRACE_SECONDS = 1;
/** rw-r--r-- */
const FILE_MODE = 0o644;
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const PROBE_DEFAULTS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** Defaults of volume sources. */
const VOLUME_DEFAULTS: Readonly<Record<string, object>> = {
  secret: { defaultMode: FILE_MODE },
  configMap: { defaultMode: FILE_MODE },
  projected: { defaultMode: FILE_MODE },
  downwardAPI: { defaultMode: FILE_MODE },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};
const HTTP_DEFAULTS = { path: '/', scheme: 'HTTP' };
/** Seconds that a projected token lasts. */
const PROJECTED_TOKEN_SECONDS = 3_600;

/**
 * Sets the API server's defaults in a pod's spec, or a template's (`pkg/apis/core/v1/defaults.go`).
 * @param options.owner the start of the refusal of a malformed quantity
 * @param options.isPod only in a pod, not in a template: requests default to limits, host ports to container ports on the host's
 *   network, a negative grace period becomes the minimum, and service links default to true
 * @throws StatusError 400
 */
export function defaultPodSpec(sent: FullPodSpec, options: { readonly owner: string; readonly isPod: boolean }): FullPodSpec {
  const spec = withoutImageVolumes(sent);
  const fill = (container: FullContainer): FullContainer => defaultContainer(container, spec.hostNetwork === true, options);
  const { serviceAccountName, serviceAccount, resources, overhead } = spec;
  const account = serviceAccountName ?? serviceAccount;
  const period = spec.terminationGracePeriodSeconds ?? GRACE_SECONDS;
  return {
    ...spec,
    ...defined({
      volumes: spec.volumes?.map((volume) => defaultVolume(volume, options.owner)),
      initContainers: spec.initContainers?.map(fill).map(onlySidecars),
    }),
    ...defined({ ephemeralContainers: spec.ephemeralContainers?.map(fill) }),
    containers: (spec.containers ?? []).map(fill).map(withoutRestartPolicy),
    ...defined({
      resources: resources && defaultResources(resources, options),
      overhead: overhead && (canonicalQuantities(overhead, options.owner) ?? {}),
      serviceAccountName: account,
      serviceAccount: account,
    }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: options.isPod && period < 0 ? LEAST_GRACE_SECONDS : period,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName ?? 'default-scheduler',
    ...(options.isPod ? { enableServiceLinks: spec.enableServiceLinks ?? true } : {}),
  };
}

/** Volumes from images need a feature gate that is off: they are dropped, and their mounts. */
function withoutImageVolumes(spec: FullPodSpec): FullPodSpec {
  const dropped = (spec.volumes ?? []).filter((volume) => 'image' in volume).map(({ name }) => name);
  if (dropped.length === 0) return spec;
  const unmounted = (container: FullContainer): FullContainer => ({
    ...container,
    ...defined({ volumeMounts: container.volumeMounts?.filter(({ name = '' }) => !dropped.includes(name)) }),
  });
  const { containers = [], initContainers, volumes } = spec;
  return {
    ...spec,
    containers: containers.map(unmounted),
    ...defined({ initContainers: initContainers?.map(unmounted), volumes: volumes?.filter(({ name }) => !dropped.includes(name)) }),
  };
}

function defaultContainer(container: FullContainer, hostNetwork: boolean, options: { owner: string; isPod: boolean }): FullContainer {
  const { ports, image, resources, env, lifecycle } = container;
  const probes = PROBES.filter((one) => container[one] !== undefined).map((one) => [one, defaultProbe(container[one] ?? {})] as const);
  return {
    ...container,
    ...Object.fromEntries(probes),
    ...defined({
      ports: ports?.map((port) => ({
        ...port,
        ...(hostNetwork && options.isPod && port.hostPort === undefined ? { hostPort: port.containerPort } : {}),
        protocol: port.protocol ?? ('TCP' as const),
      })),
    }),
    ...defined({ env: env?.map(defaultVariable), lifecycle: lifecycle && defaultLifecycle(lifecycle) }),
    resources: defaultResources(resources ?? {}, options),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    ...defined({
      imagePullPolicy: container.imagePullPolicy ?? (image === undefined ? undefined : isLatest(image) ? 'Always' : 'IfNotPresent'),
    }),
  };
}

/** Restart policies of containers, except sidecars, need a feature gate that is off: they are dropped. */
function withoutRestartPolicy({ restartPolicy: _policy, ...container }: FullContainer): FullContainer {
  return container;
}

function onlySidecars(container: FullContainer): FullContainer {
  return container.restartPolicy === 'Always' ? container : withoutRestartPolicy(container);
}

function defaultResources(
  resources: NonNullable<FullContainer['resources']>,
  { owner, isPod }: { owner: string; isPod: boolean },
): NonNullable<FullContainer['resources']> {
  const limits = canonicalQuantities(resources.limits, owner);
  const sent = canonicalQuantities(resources.requests, owner);
  const requests = isPod && limits !== undefined ? { ...limits, ...sent } : sent;
  const { limits: _limits, requests: _requests, ...rest } = resources;
  return { ...rest, ...defined({ limits, requests }) };
}

function defaultProbe(probe: object): object {
  const { httpGet, grpc } = probe as { httpGet?: object; grpc?: object };
  return {
    ...PROBE_DEFAULTS,
    ...probe,
    ...defined({ httpGet: httpGet && { ...HTTP_DEFAULTS, ...httpGet }, grpc: grpc && { service: '', ...grpc } }),
  };
}

type Lifecycle = NonNullable<FullContainer['lifecycle']>;

function defaultLifecycle(lifecycle: Lifecycle): Lifecycle {
  const hooks = Object.entries(lifecycle).map(([hook, handler]) => {
    const { httpGet } = handler;
    return [hook, { ...handler, ...defined({ httpGet: httpGet && { ...HTTP_DEFAULTS, ...httpGet } }) }] as const;
  });
  return Object.fromEntries(hooks);
}

/** A reference to a field of the pod, in an environment or a volume. */
interface FieldReference {
  readonly fieldRef?: object;
  readonly resourceFieldRef?: object;
}

/** A divisor of zero stands for one. */
function defaultReference<T extends FieldReference>(reference: T): T {
  const { fieldRef, resourceFieldRef } = reference;
  if (fieldRef === undefined && resourceFieldRef === undefined) return reference;
  return {
    ...reference,
    ...defined({
      fieldRef: fieldRef && { apiVersion: 'v1', ...fieldRef },
      resourceFieldRef: resourceFieldRef && { divisor: '0', ...resourceFieldRef },
    }),
  };
}

function defaultVariable<T extends { readonly valueFrom?: FieldReference }>(variable: T): T {
  return variable.valueFrom === undefined ? variable : { ...variable, valueFrom: defaultReference(variable.valueFrom) };
}

/** A source of a volume whose content has defaults, too. */
interface VolumeSource {
  readonly items?: readonly FieldReference[];
  readonly sources?: readonly { readonly serviceAccountToken?: object; readonly downwardAPI?: VolumeSource }[];
  readonly volumeClaimTemplate?: { readonly spec?: ClaimSpec };
}

function defaultSource(kind: string, source: VolumeSource, owner: string): object {
  const { items, sources, volumeClaimTemplate } = source;
  switch (kind) {
    case 'downwardAPI':
      return { ...source, ...defined({ items: items?.map(defaultReference) }) };
    case 'projected':
      return { ...source, ...defined({ sources: sources?.map((one) => defaultProjection(one, owner)) }) };
    case 'ephemeral':
      if (volumeClaimTemplate === undefined) return source;
      return {
        ...source,
        volumeClaimTemplate: { metadata: {}, ...volumeClaimTemplate, spec: defaultClaimSpec(volumeClaimTemplate.spec ?? {}, owner) },
      };
    default:
      return source;
  }
}

function defaultProjection(projection: NonNullable<VolumeSource['sources']>[number], owner: string): object {
  const { serviceAccountToken, downwardAPI } = projection;
  return {
    ...projection,
    ...defined({
      serviceAccountToken: serviceAccountToken && { expirationSeconds: PROJECTED_TOKEN_SECONDS, ...serviceAccountToken },
      downwardAPI: downwardAPI && defaultSource('downwardAPI', downwardAPI, owner),
    }),
  };
}

type Volume = NonNullable<FullPodSpec['volumes']>[number];

function defaultVolume(volume: Volume, owner: string): Volume {
  const { name, ...source } = volume;
  const entries = Object.entries(source as Record<string, object>).map(([kind, value]) => [
    kind,
    defaultSource(kind, { ...VOLUME_DEFAULTS[kind], ...value }, owner),
  ]);
  // A volume without a source is an emptyDir.
  return { name, ...(entries.length === 0 ? { emptyDir: {} } : (Object.fromEntries(entries) as object)) };
}

/** Whether an image has no digest, and either no tag or `latest`. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const [, tag = 'latest'] = /:([^:/]+)$/.exec(image) ?? [];
  return tag === 'latest';
}
