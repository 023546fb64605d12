import type { ProgramEnd } from './programs.ts';

/** Something that the kind world needs is missing or fails: what, and what to do about it. */
export class ClusterError extends Error {
  /** What the user can do. */
  readonly fix: string;
  constructor(what: string, fix: string) {
    super(`${what}: ${fix}`);
    this.name = 'ClusterError';
    this.fix = fix;
  }
}

/** How to install a missing program. */
export const INSTALL: Readonly<Record<string, string>> = {
  docker: 'install Docker (https://docs.docker.com/engine/install) and have `docker` on PATH',
  kind: 'install kind (https://kind.sigs.k8s.io/docs/user/quick-start) and have `kind` on PATH',
};

/** What to do if the docker engine does not answer. */
export const ENGINE_FIX = 'start Docker, or set DOCKER_HOST to where its engine listens; your user must be allowed to use it';

/** Known errors of kind and docker, and what they mean. The first match counts. */
const KNOWN: readonly { readonly says: RegExp; readonly what: string; readonly fix: string }[] = [
  { says: /exec: "docker": executable file not found/, what: 'docker is not installed', fix: INSTALL['docker'] ?? '' },
  {
    says: /Cannot connect to the Docker daemon|error during connect|permission denied while trying to connect/i,
    what: 'the docker engine does not answer',
    fix: ENGINE_FIX,
  },
  {
    says: /already exist for a cluster with the name/,
    what: 'a cluster of this name already exists',
    fix: 'use it with --reuse NAME, or remove it: kind delete cluster --name NAME',
  },
  {
    says: /failed to pull image/,
    what: "the cluster's node image is not available locally and can't be pulled",
    fix: 'load it into Docker, or set SCALEPROOF_KIND_IMAGE to an image that is available',
  },
  {
    says: /Unable to find image 'localstack/,
    what: "LocalStack's image is not available locally and can't be pulled",
    fix: 'set LOCALSTACK_ENDPOINT to a running one, or simulate instances in memory: --ec2 embedded',
  },
  {
    says: /address already in use|port is already allocated/,
    what: 'the port for the API server is already in use',
    fix: 'try again: each time, a free port is chosen',
  },
  {
    says: /no space left on device/i,
    what: 'the disk is full',
    fix: 'free space where Docker keeps its data: docker system df shows what uses it',
  },
  {
    says: /too many open files|inotify/i,
    what: 'the machine allows too few inotify watches for one more cluster',
    fix: 'raise fs.inotify.max_user_watches and fs.inotify.max_user_instances (https://kind.sigs.k8s.io/docs/user/known-issues)',
  },
];

/** Maximum length of a quoted program output. */
const MAX_WORDS = 400;

/** The error of a program that failed. @param doing completes "can't ..." */
export function diagnose(program: string, doing: string, end: ProgramEnd): ClusterError {
  if (end.isMissing)
    return new ClusterError(`can't ${doing}: ${program} is not installed`, INSTALL[program] ?? `have \`${program}\` on PATH`);
  if (end.isLate) return new ClusterError(`can't ${doing}: ${program} did not finish in time`, 'the machine may be overloaded; try again');
  const known = KNOWN.find(({ says }) => says.test(end.stderr));
  const words = lastWords(end.stderr);
  if (known === undefined) return new ClusterError(`can't ${doing}`, `${program} said: ${words}`);
  return new ClusterError(`can't ${doing}: ${known.what}`, `${known.fix} (${program} said: ${words})`);
}

/** The last lines of the output explain a failure: kind's ERROR line, and the failed command's output without its arguments. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/command "[^"]*"( failed)?/, 'its command$1').trim())
    // What docker prints about an engine that does not answer.
    .filter((line) => line !== '' && !line.includes('"ServerVersion"'));
  const error = lines.findLastIndex((line) => line.startsWith('ERROR'));
  const words = lines.slice(error === -1 ? -3 : error).join(' | ');
  return words === '' ? 'nothing' : words.length > MAX_WORDS ? `...${words.slice(-MAX_WORDS)}` : words;
}
