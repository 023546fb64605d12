import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Clock } from '../../runtime/clock.ts';
import { ENGINE_FIX, INSTALL } from './diagnose.ts';
import { LOCALSTACK_IMAGE } from './localstack-container.ts';
import type { Programs } from './programs.ts';

/** A program or resource that is used, and whether it is available. */
export interface Requirement {
  readonly name: string;
  /** `--world kind` does not run without it. */
  readonly isNeeded: boolean;
  readonly isThere: boolean;
  /** What was found or is missing. */
  readonly found: string;
  /** What to do if it is missing. */
  readonly fix?: string;
}

/** package.json's `engines`. */
const MIN_NODE: readonly [major: number, minor: number] = [22, 19];
/** kind's control plane uses half of it, the harness with its trial the rest. */
const MIN_MEMORY_MIB = 1_536;
/** A node image uses 1 GiB unpacked, a cluster's volume less than one more. */
const MIN_DISK_MIB = 3_072;
const MIB = 2 ** 20;

const ASK_LIMIT_MS = 15_000;
/** Everything that doctor checks over the network is on this machine. */
const FETCH_LIMIT_MS = 3_000;

/** Whether a cluster can be created: docker's engine answers and kind is installed. `--world kind` checks this before it starts. */
export async function clusterRequirements(programs: Programs): Promise<Requirement[]> {
  return Promise.all([docker(programs), kind(programs)]);
}

/**
 * Everything that is used, in the order in which it is needed.
 * @param image the requested node image; by default kind's own
 */
export async function requirements({
  programs,
  clock,
  environment,
  image,
}: {
  readonly programs: Programs;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  readonly image: string | undefined;
}): Promise<Requirement[]> {
  return [
    node(),
    ...(await clusterRequirements(programs)),
    await nodeImage(programs, image),
    memory(),
    await disk(programs),
    await localStack(programs, clock, environment['LOCALSTACK_ENDPOINT']),
    chromium(environment['CHROMIUM_PATH'] ?? '/usr/bin/chromium'),
  ];
}

function node(): Requirement {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isThere = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1]);
  return {
    name: 'node',
    isNeeded: true,
    isThere,
    found: process.version,
    fix: `Scaleproof needs Node ${MIN_NODE.join('.')} or newer (https://nodejs.org)`,
  };
}

async function docker(programs: Programs): Promise<Requirement> {
  const format = '{{.Server.Version}}';
  const { code, isMissing, stdout } = await programs.run('docker', ['version', '--format', format], { limitMs: ASK_LIMIT_MS });
  const isThere = code === 0;
  const what = isMissing ? 'not on PATH' : 'its engine does not answer';
  return {
    name: 'docker',
    isNeeded: true,
    isThere,
    found: isThere ? `engine ${stdout.trim()}` : what,
    fix: isMissing ? (INSTALL['docker'] ?? '') : ENGINE_FIX,
  };
}

async function kind(programs: Programs): Promise<Requirement> {
  const { code, stdout, isMissing } = await programs.run('kind', ['version', '--quiet'], { limitMs: ASK_LIMIT_MS });
  const isThere = code === 0;
  const found = isThere ? `v${stdout.trim().replace(/^v/, '')}` : isMissing ? 'not on PATH' : 'does not start';
  return { name: 'kind', isNeeded: true, isThere, found, fix: INSTALL['kind'] ?? '' };
}

/** A missing image is pulled, so it is not counted as needed. */
async function nodeImage(programs: Programs, image: string | undefined): Promise<Requirement> {
  const base = { name: 'node image', isNeeded: false };
  if (image === undefined) return { ...base, isThere: true, found: "kind's own, pulled if it is not available locally" };
  const { code } = await programs.run('docker', ['image', 'inspect', '--format', '{{.Id}}', image], { limitMs: ASK_LIMIT_MS });
  const fix = 'kind pulls it, if a registry has it; set SCALEPROOF_KIND_IMAGE to use another';
  return { ...base, isThere: code === 0, found: code === 0 ? image : `${image} is not available locally`, fix };
}

function memory(): Requirement {
  const freeMiB = Math.floor(process.availableMemory() / MIB);
  return {
    name: 'memory',
    isNeeded: true,
    isThere: freeMiB >= MIN_MEMORY_MIB,
    found: `${freeMiB} MiB free`,
    fix: `stop other programs: a cluster and its trial use ${MIN_MEMORY_MIB} MiB`,
  };
}

/** Where Docker keeps its data, if that is on this machine. */
async function disk(programs: Programs): Promise<Requirement> {
  const { code, stdout } = await programs.run('docker', ['info', '--format', '{{.DockerRootDir}}'], { limitMs: ASK_LIMIT_MS });
  const root = stdout.trim();
  const path = code === 0 && root !== '' && existsSync(root) ? root : tmpdir();
  const { bavail, bsize } = await statfs(path);
  const freeMiB = Math.floor((bavail * bsize) / MIB);
  return {
    name: 'disk',
    isNeeded: true,
    isThere: freeMiB >= MIN_DISK_MIB,
    found: `${freeMiB} MiB free in ${path}`,
    fix: `free space: a cluster and its image use ${MIN_DISK_MIB} MiB; docker system df shows what uses it`,
  };
}

/** Not needed with `--ec2 embedded`. */
async function localStack(programs: Programs, clock: Clock, endpoint: string | undefined): Promise<Requirement> {
  const base = { name: 'LocalStack', isNeeded: false };
  const fix = `start it and set LOCALSTACK_ENDPOINT, or docker pull ${LOCALSTACK_IMAGE}`;
  if (endpoint !== undefined && endpoint !== '') {
    const isThere = await answers(`${endpoint.replace(/\/$/, '')}/_localstack/health`, clock);
    return { ...base, isThere, found: isThere ? endpoint : `${endpoint} does not answer`, fix };
  }
  const { code } = await programs.run('docker', ['image', 'inspect', '--format', '{{.Id}}', LOCALSTACK_IMAGE], { limitMs: ASK_LIMIT_MS });
  return { ...base, isThere: code === 0, found: code === 0 ? LOCALSTACK_IMAGE : 'neither LOCALSTACK_ENDPOINT nor its image', fix };
}

async function answers(url: string, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(FETCH_LIMIT_MS, over.signal).then(
    () => over.abort(new Error('no answer in time')),
    () => undefined,
  );
  try {
    return (await fetch(url, { signal: over.signal })).ok;
  } catch {
    return false;
  } finally {
    over.abort(new Error('answered'));
    await late;
  }
}

/** Only the tests of report pages use it. */
function chromium(path: string): Requirement {
  const isThere = existsSync(path);
  const fix = 'install Chromium, or set CHROMIUM_PATH';
  return { name: 'chromium', isNeeded: false, isThere, found: isThere ? path : `no ${path}`, fix };
}
