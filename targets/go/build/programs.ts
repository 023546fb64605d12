import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../../model/nearest.ts';
import type { MemorySize } from './memory-size.ts';
import type { Additions } from './additions.ts';
import { COVERAGE } from './coverage.ts';
import type { GoProgramSpec } from './spec.ts';
import { TERMINAL } from './terminal.ts';

/** A program that can be built as a target. */
export interface GoProgram {
  readonly name: string;
  readonly module: string;
  /** Its main package. */
  readonly package: string;
  /** The module with most of its logic, which a checkout can replace. */
  readonly core?: string;
  /** The folder of its CustomResourceDefinitions in its module. */
  readonly crds?: string;
  readonly tags?: readonly string[];
  /** Files that its modules lack for js. */
  readonly additions?: Additions;
  /** Where its releases are, if not on the Go module proxy: they are built from a checkout, too. */
  readonly checkout?: CheckoutPlace;
  /** The variable that the linker sets to the version in its own releases, if it does. */
  readonly versionVariable?: string;
  readonly memory: MemorySize;
  /** The oldest supported release. */
  readonly minimum: string;
  /** A Go that builds every release so far; each names its own in go.mod. */
  readonly goHint: string;
  /** Example versions, for messages. */
  readonly examples: readonly string[];
}

/** Where a program's releases are in a git repository. */
export interface CheckoutPlace {
  readonly repository: string;
  /** What its tags have before the version. */
  readonly tagPrefix: string;
  /** The module's folder. */
  readonly folder: string;
  /** The file that says which version it is, in that folder, and the line that does. */
  readonly versionFile: string;
  readonly versionPattern: RegExp;
}

/** To support another program, add an entry. */
export const GO_PROGRAMS: readonly GoProgram[] = [
  {
    name: 'karpenter',
    module: 'github.com/aws/karpenter-provider-aws',
    package: 'github.com/aws/karpenter-provider-aws/cmd/controller',
    core: 'sigs.k8s.io/karpenter',
    crds: 'pkg/apis/crds',
    versionVariable: 'sigs.k8s.io/karpenter/pkg/operator.Version',
    // Maximum: the chart's default limit; initial: what it needs to become ready.
    memory: { initialMiB: 384, mostMiB: 1_024 },
    minimum: '1.8.0',
    goHint: 'Go 1.26.10 or later',
    examples: ['karpenter@1.14.1', 'karpenter@1.14.0'],
  },
  {
    name: 'cluster-autoscaler',
    module: 'k8s.io/autoscaler/cluster-autoscaler',
    package: 'k8s.io/autoscaler/cluster-autoscaler',
    crds: 'apis/config/crd',
    // Without it, the clients of all clouds are compiled.
    tags: ['aws'],
    checkout: {
      repository: 'https://github.com/kubernetes/autoscaler',
      tagPrefix: 'cluster-autoscaler-',
      folder: 'cluster-autoscaler',
      versionFile: 'version/version.go',
      versionPattern: /Version = "([^"]*)"/,
    },
    versionVariable: 'k8s.io/autoscaler/cluster-autoscaler/version.ClusterAutoscalerVersion',
    memory: { initialMiB: 256, mostMiB: 1_024 },
    // Modules of 1.33 do not compile for js: go.etcd.io/etcd/client/pkg/v3 3.5, github.com/coreos/go-systemd/v22.
    minimum: '1.34.0',
    goHint: 'Go 1.26.0 or later',
    examples: ['cluster-autoscaler@1.36.1', 'cluster-autoscaler@1.35.2'],
  },
  {
    name: 'node-termination-handler',
    module: 'github.com/aws/aws-node-termination-handler',
    package: 'github.com/aws/aws-node-termination-handler/cmd',
    additions: {
      ...TERMINAL,
      // Only asked when it runs on the node itself.
      'github.com/aws/aws-node-termination-handler': {
        'pkg/uptime/gohost_js.go': `package uptime

// Uptime reads the uptime from /proc/uptime, as on Linux.
func Uptime() (int64, error) {
	return UptimeFromFile("/proc/uptime")
}
`,
      },
    },
    checkout: {
      repository: 'https://github.com/aws/aws-node-termination-handler',
      tagPrefix: 'v',
      folder: '.',
      versionFile: 'config/helm/aws-node-termination-handler/Chart.yaml',
      versionPattern: /^appVersion: (\S+)$/m,
    },
    memory: { initialMiB: 128, mostMiB: 1_024 },
    minimum: '1.25.0',
    goHint: 'Go 1.26.0 or later',
    examples: ['node-termination-handler@1.25.6', 'node-termination-handler@1.25.5'],
  },
];

/** A version of a program. */
export interface TargetVersion {
  readonly program: GoProgram;
  /** As in artefacts: a release without its v, a commit, or the name that was given to a checkout. */
  readonly version: string;
  readonly kind: 'release' | 'commit' | 'name';
  /** The same as its origin knows it: without the `COVERAGE` that a build with coverage has. */
  readonly published: string;
}

/** A text that is not a valid version of a program. */
export class TargetVersionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TargetVersionError';
  }
}

/** Checkouts to use instead of modules. */
export interface Checkouts {
  /** Of the program's module. */
  readonly source?: string | undefined;
  /** Of its core. */
  readonly core?: string | undefined;
}

/**
 * How to build a version of a known program.
 * @throws TargetVersionError if only a checkout is possible, and there is none, or one of another version; or if there is one, and the
 * version is a release or commit that can be fetched: such a target always runs what was published
 */
export function specOf({ program, version, kind, published }: TargetVersion, { source, core }: Checkouts): GoProgramSpec {
  const { checkout } = program;
  if (core !== undefined && program.core === undefined) throw new TargetVersionError(`${program.name} has no core: leave out --core`);
  if (checkout !== undefined && kind === 'commit')
    throw new TargetVersionError(
      `${program.name} is not on the Go module proxy, so a commit of it needs a name: give --source, and a name of its own, such as ${program.name}@mine`,
    );
  if (checkout !== undefined && kind === 'release' && source === undefined)
    throw new TargetVersionError(
      `${program.name} is not on the Go module proxy, so its releases need a checkout: run \`git clone --depth 1 --branch ${checkout.tagPrefix}${published} ${checkout.repository} DIR\`, and give --source DIR`,
    );
  if (kind === 'name' && source === undefined)
    throw new TargetVersionError(
      `"${version}" is neither a release nor a commit, such as ${program.examples.join(' or ')}; as the name of a checkout it needs --source`,
    );
  if (checkout === undefined && kind !== 'name' && (source !== undefined || core !== undefined))
    throw new TargetVersionError(
      `${program.name}@${version} is a published ${kind}, so a checkout needs another name: give --source, and a name of its own, such as ${program.name}@mine`,
    );
  return {
    program: program.name,
    version,
    module: program.module,
    package: program.package,
    moduleVersion: kind === 'release' ? `v${published}` : published,
    source:
      checkout === undefined || source === undefined ? source : moduleFolder(checkout, source, kind === 'release' ? published : undefined),
    replace: core === undefined || program.core === undefined ? {} : { [program.core]: core },
    crds: program.crds,
    tags: program.tags,
    additions: program.additions,
    memory: program.memory,
    variables: program.versionVariable === undefined ? {} : { [program.versionVariable]: published },
    ...(version !== published && {
      coverage: [program.module, ...(program.core === undefined ? [] : [program.core])].map((module) => `${module}/...`),
    }),
    goHint: program.goHint,
  };
}

/**
 * The module's folder in a checkout of the repository, which may also be given itself.
 * @param release what it has to be; by default anything
 * @throws TargetVersionError if it is another version
 */
function moduleFolder(
  { folder, versionFile, versionPattern, tagPrefix }: CheckoutPlace,
  source: string,
  release: string | undefined,
): string {
  const inside = join(source, folder);
  const directory = existsSync(join(inside, 'go.mod')) ? inside : source;
  if (release === undefined) return directory;
  const path = join(directory, versionFile);
  const [, found] = existsSync(path) ? (versionPattern.exec(readFileSync(path, 'utf8')) ?? []) : [];
  if (found === release) return directory;
  throw new TargetVersionError(
    found === undefined
      ? `${source} has no version in ${versionFile}: it is not a checkout of ${tagPrefix}${release}`
      : `${source} is ${found}, not ${release}: check out ${tagPrefix}${release}`,
  );
}

const RELEASE = /^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/;
/** People copy seven digits; forty are the full hash. */
const COMMIT = /^[0-9a-f]{7,40}$/;
const NAME = /^[A-Za-z][\w.-]{0,63}$/;

/**
 * Parses `karpenter@1.14.1`, `karpenter@COMMIT` or `karpenter@NAME` (of a checkout). Each may end in `-coverage`.
 * @throws TargetVersionError that says what it takes
 */
export function parseTargetVersion(text: string): TargetVersion {
  const suffix = text.endsWith(COVERAGE) ? COVERAGE : '';
  const [name = '', version, ...more] = text.slice(0, text.length - suffix.length).split('@');
  const program = GO_PROGRAMS.find((one) => one.name === name);
  if (program === undefined) {
    const names = GO_PROGRAMS.map((one) => one.name);
    const meant = nearest(name, names);
    throw new TargetVersionError(
      `there is no program "${name}" to build; ${meant === undefined ? `known programs: ${names.join(', ')}` : `did you mean ${meant}?`}`,
    );
  }
  const such = `such as ${program.examples.join(' or ')}`;
  if (version === undefined || version === '') throw new TargetVersionError(`give ${name} a version, ${such}`);
  if (more.length > 0) throw new TargetVersionError(`"${text}" has more than one @; give one version, ${such}`);
  const parsed = (published: string, kind: TargetVersion['kind']): TargetVersion => {
    return { program, version: `${published}${suffix}`, kind, published };
  };
  const [, release] = RELEASE.exec(version) ?? [];
  if (release !== undefined) {
    if (isBefore(release, program.minimum))
      throw new TargetVersionError(`${name}@${release} is too old: ${program.minimum} is the first version that can be built`);
    return parsed(release, 'release');
  }
  // Some commits consist of digits only; incomplete versions have dots, or are short.
  if (COMMIT.test(version)) return parsed(version, 'commit');
  if (/^v?\d/.test(version))
    throw new TargetVersionError(`"${version}" is not a full version; give all three numbers, ${such}, or a commit`);
  if (version === 'latest') throw new TargetVersionError(`the latest version changes over time; give a fixed one, ${such}`);
  if (!NAME.test(version))
    throw new TargetVersionError(`"${version}" is not a version; give one, ${such}, a commit, or a name for a checkout`);
  return parsed(version, 'name');
}

/** Whether a release is older than another, by its three numbers. */
function isBefore(release: string, other: string): boolean {
  const numbers = (text: string): number[] => (text.split('-')[0] ?? '').split('.').map(Number);
  const [ours, theirs] = [numbers(release), numbers(other)];
  const place = ours.findIndex((number, index) => number !== theirs[index]);
  return place >= 0 && (ours[place] ?? 0) < (theirs[place] ?? 0);
}
