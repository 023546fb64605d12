import { duplicate, forbidden, invalid, notSupported, required } from '../../../protocols/kube/field-error.ts';
import type { FieldError } from '../../../protocols/kube/field-error.ts';
import { validateDescendingPath } from './paths.ts';

/* Security contexts of pods and containers, without those of Windows: `pkg/apis/core/validation`. */

interface Profile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

interface Identity {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly seccompProfile?: Profile;
  readonly appArmorProfile?: Profile;
}

export interface PodSecurity extends Identity {
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: string;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: string;
  readonly sysctls?: readonly { readonly name?: string }[];
}

export interface ContainerSecurity extends Identity {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: string;
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
}

/** Namespaces of the host that a pod uses. */
interface HostNamespaces {
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly shareProcessNamespace?: boolean;
}

const MAX_ID = 2_147_483_647;
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = String.raw`([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?`;
const MAX_SYSCTL_LENGTH = 253;

export function validatePodSecurity(context: PodSecurity, spec: HostNamespaces, field: string): FieldError[] {
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups = [], fsGroupChangePolicy, supplementalGroupsPolicy } = context;
  const isShared = spec.shareProcessNamespace === true && spec.hostPID === true;
  return [
    ...validateId(fsGroup, `${field}.fsGroup`),
    ...validateId(runAsUser, `${field}.runAsUser`),
    ...validateId(runAsGroup, `${field}.runAsGroup`),
    ...supplementalGroups.flatMap((group, index) => validateId(group, `${field}.supplementalGroups[${index}]`)),
    ...(isShared ? [invalid(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled')] : []),
    ...validateSysctls(context.sysctls ?? [], spec, `${field}.sysctls`),
    ...oneOf(fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${field}.fsGroupChangePolicy`),
    ...validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    ...validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
    ...oneOf(supplementalGroupsPolicy, ['Merge', 'Strict'], `${field}.supplementalGroupsPolicy`),
  ];
}

/** A pod with users of its own may use no other namespace of its host. @param field of the pod's spec */
export function validateHostUsers(spec: HostNamespaces, field: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((one) => spec[one] === true);
  return used.map((one) => forbidden(`${field}.${one}`, 'when `hostUsers` is false'));
}

/** @param hasHostUsers whether the pod has the users of its host */
export function validateContainerSecurity(context: ContainerSecurity, hasHostUsers: boolean, field: string): FieldError[] {
  const { runAsUser, runAsGroup, procMount, allowPrivilegeEscalation, privileged, capabilities } = context;
  const isUnmasked = hasHostUsers && procMount === 'Unmasked';
  const cannot = (what: string): FieldError =>
    invalid(field, shown(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`);
  const isConfined = allowPrivilegeEscalation === false;
  return [
    ...validateId(runAsUser, `${field}.runAsUser`),
    ...validateId(runAsGroup, `${field}.runAsGroup`),
    ...oneOf(procMount, ['Default', 'Unmasked'], `${field}.procMount`),
    ...(isUnmasked ? [invalid(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`')] : []),
    ...validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
    ...(isConfined && privileged === true ? [cannot('`privileged` to true')] : []),
    ...(isConfined && capabilities?.add?.includes('CAP_SYS_ADMIN') === true ? [cannot('`capabilities.Add` CAP_SYS_ADMIN')] : []),
    ...validateAppArmor(context.appArmorProfile, `${field}.appArmorProfile`),
  ];
}

const GO_FIELDS = [
  'Capabilities',
  'Privileged',
  'SELinuxOptions',
  'WindowsOptions',
  'RunAsUser',
  'RunAsGroup',
  'RunAsNonRoot',
  'ReadOnlyRootFilesystem',
  'AllowPrivilegeEscalation',
  'ProcMount',
  'SeccompProfile',
  'AppArmorProfile',
];

/** As the real message shows it: with the server's internal type. */
function shown(context: object): object {
  const values = new Map(Object.entries(context).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const { add: Add = null, drop: Drop = null } = (context as ContainerSecurity).capabilities ?? {};
  const entries = GO_FIELDS.map((name) => [name, values.get(name.toLowerCase()) ?? null] as const);
  return { ...Object.fromEntries(entries), Capabilities: values.has('capabilities') ? { Add, Drop } : null };
}

function validateId(id: number | undefined, field: string): FieldError[] {
  if (id === undefined || (id >= 0 && id <= MAX_ID)) return [];
  return [invalid(field, id, `must be between 0 and ${MAX_ID}, inclusive`)];
}

function oneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function validateSeccomp(profile: Profile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type = '', localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const errors = validateProfileType(type, 'seccompProfile', field);
  if (type === 'Localhost') {
    if (localhostProfile === undefined) return [...errors, required(at, 'must be set when seccomp type is Localhost')];
    return [...errors, ...validateDescendingPath(localhostProfile, at)];
  }
  if (localhostProfile === undefined) return errors;
  const own = { Type: type, LocalhostProfile: localhostProfile };
  return [...errors, invalid(at, own, 'can only be set when seccomp type is Localhost')];
}

function validateAppArmor(profile: Profile | undefined, field: string): FieldError[] {
  if (profile === undefined) return [];
  const { type = '', localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const errors = validateProfileType(type, 'appArmorProfile', field);
  if (type === 'Localhost') return localhostProfile === undefined ? [required(at, 'must be set when AppArmor type is Localhost')] : errors;
  if (localhostProfile === undefined || errors.length > 0) return errors;
  return [invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

function validateProfileType(type: string, what: string, field: string): FieldError[] {
  if (type === '') return [required(`${field}.type`, `type is required when ${what} is set`)];
  return oneOf(type, PROFILES, `${field}.type`);
}

function validateSysctls(
  sysctls: NonNullable<PodSecurity['sysctls']>,
  { hostNetwork, hostIPC }: HostNamespaces,
  field: string,
): FieldError[] {
  const names = new Set<string>();
  return sysctls.flatMap(({ name = '' }, index) => {
    const path = `${field}[${index}].name`;
    const isValid = name.length <= MAX_SYSCTL_LENGTH && new RegExp(`^${SYSCTL}$`).test(name);
    const rule = `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ^${SYSCTL}$`;
    const errors =
      name === '' ? [required(path)] : isValid ? (names.has(name) ? [duplicate(path, name)] : []) : [invalid(path, name, rule)];
    names.add(name);
    const dotted = name.replaceAll('/', '.');
    const isOfIpc = /^(kernel\.(sem$|shm|msg)|fs\.mqueue\.)/.test(dotted);
    if (hostNetwork === true && dotted.startsWith('net.'))
      errors.push(invalid(path, name, "may not be specified when 'hostNetwork' is true"));
    if (hostIPC === true && isOfIpc) errors.push(invalid(path, name, "may not be specified when 'hostIPC' is true"));
    return errors;
  });
}
