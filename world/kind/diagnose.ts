import type { ProgramEnd } from './programs.ts';

/** Something that the kind world needs is not there or refuses: what, and what to do about it. */
export class ClusterError extends Error {
  /** What the user can do. */
  readonly mend: string;
  constructor(what: string, mend: string) {
    super(`${what}: ${mend}`);
    this.name = 'ClusterError';
    this.mend = mend;
  }
}

/** What is missing when a program is. */
export const INSTALL: Readonly<Record<string, string>> = {
  docker: 'install Docker (https://docs.docker.com/engine/install) and have `docker` on PATH',
  kind: 'install kind (https://kind.sigs.k8s.io/docs/user/quick-start) and have `kind` on PATH',
};

/** How to have a docker engine answer. */
export const ENGINE_MEND = 'start Docker, or set DOCKER_HOST to where its engine listens; your user must be allowed to use it';

/** What kind and docker are known to say, and what it means. The first that fits counts. */
const KNOWN: readonly { readonly says: RegExp; readonly what: string; readonly mend: string }[] = [
  { says: /exec: "docker": executable file not found/, what: 'docker is not there', mend: INSTALL['docker'] ?? '' },
  {
    says: /Cannot connect to the Docker daemon|error during connect|permission denied while trying to connect/i,
    what: 'the docker engine does not answer',
    mend: ENGINE_MEND,
  },
  {
    says: /already exist for a cluster with the name/,
    what: 'a cluster of this name is there already',
    mend: 'use it with --reuse NAME, or remove it: kind delete cluster --name NAME',
  },
  {
    says: /failed to pull image/,
    what: "the cluster's node image is not here and can't be pulled",
    mend: 'load it into Docker, or name one that is here in SCALEPROOF_KIND_IMAGE',
  },
  {
    says: /Unable to find image 'localstack/,
    what: "LocalStack's image is not here and can't be pulled",
    mend: 'name one that runs in LOCALSTACK_ENDPOINT, or keep machines in memory: --ec2 embedded',
  },
  {
    says: /address already in use|port is already allocated/,
    what: 'the port that the API server was to listen on is taken',
    mend: 'try again: a free one is chosen each time',
  },
  {
    says: /no space left on device/i,
    what: 'the disk is full',
    mend: 'make room where Docker keeps its data: docker system df shows what takes it',
  },
  {
    says: /too many open files|inotify/i,
    what: 'the machine allows too few inotify watches for one more cluster',
    mend: 'raise fs.inotify.max_user_watches and fs.inotify.max_user_instances (https://kind.sigs.k8s.io/docs/user/known-issues)',
  },
];

/** Longest that of what a program said is repeated. */
const MAX_WORDS = 400;

/** The error of a program that did not do what was asked. @param doing as in "can't ..." */
export function diagnose(program: string, doing: string, end: ProgramEnd): ClusterError {
  if (end.isMissing) return new ClusterError(`can't ${doing}: ${program} is not there`, INSTALL[program] ?? `have \`${program}\` on PATH`);
  if (end.isLate) return new ClusterError(`can't ${doing}: ${program} did not end in time`, 'the machine may be overloaded; try again');
  const known = KNOWN.find(({ says }) => says.test(end.stderr));
  const words = lastWords(end.stderr);
  if (known === undefined) return new ClusterError(`can't ${doing}`, `${program} said: ${words}`);
  return new ClusterError(`can't ${doing}: ${known.what}`, `${known.mend} (${program} said: ${words})`);
}

/** What stands at the end says what went wrong: kind's ERROR line and the output of the command that failed, without its arguments. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/command "[^"]*"( failed)?/, 'its command$1').trim())
    // What docker knows of an engine that does not answer.
    .filter((line) => line !== '' && !line.includes('"ServerVersion"'));
  const error = lines.findLastIndex((line) => line.startsWith('ERROR'));
  const words = lines.slice(error === -1 ? -3 : error).join(' | ');
  return words === '' ? 'nothing' : words.length > MAX_WORDS ? `...${words.slice(-MAX_WORDS)}` : words;
}
