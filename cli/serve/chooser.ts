import { chooseTarget } from '../choose.ts';
import { isPath } from '../../model/paths.ts';
import { targetNamed } from '../../targets/catalogue.ts';
import { UsageError } from '../usage-error.ts';
import { agrees } from './jobs.ts';
import type { GateJob, GateQuestion } from './jobs.ts';
import type { Site } from './server.ts';

/** What the command line allows requests to ask for. */
export interface Allowed {
  readonly baseline: string;
  /** Files of targets that requests may name, beside the bundled ones. */
  readonly targets: readonly string[];
  /** What the versions of the baseline and of the one target are called. */
  readonly baselineVersion: string | undefined;
  readonly candidateVersion: string | undefined;
}

const SIDES = ['baseline', 'candidate'] as const;

/**
 * Which targets requests may name: a file is code that is run, so only the command line says which. And which versions: the names of
 * targets stay, so who says what is rolled out must not be told the verdict of something else.
 * @throws UsageError where the command line names what there is not
 */
export function chooserOf({ baseline, targets, ...versions }: Allowed): Site['choose'] {
  const onCommandLine = new Set([baseline, ...targets]);
  for (const name of onCommandLine) chooseTarget(name);
  if (versions.candidateVersion !== undefined && targets.length !== 1)
    throw new UsageError('--candidate-version needs exactly one --target');
  const known = { baseline, candidate: targets.length === 1 ? targets[0] : undefined };
  return (named) => {
    const candidate = named.candidate ?? known.candidate;
    if (candidate === undefined) return { refused: 'the request names no candidate' };
    const names = { baseline: named.baseline ?? baseline, candidate };
    const versionOf = (side: (typeof SIDES)[number]): string | undefined =>
      names[side] === known[side] ? versions[`${side}Version`] : undefined;
    const question: GateQuestion = {
      ...names,
      ...versionPart('baseline', versionOf('baseline')),
      ...versionPart('candidate', versionOf('candidate')),
    };
    for (const side of SIDES) {
      const refused =
        refusalOfName(names[side], onCommandLine) ?? refusalOfVersion(side, names[side], named[`${side}Version`], versionOf(side));
      if (refused !== undefined) return { refused };
    }
    return question;
  };
}

function versionPart(side: (typeof SIDES)[number], version: string | undefined): Partial<GateQuestion> {
  return version === undefined ? {} : { [`${side}Version`]: version };
}

/** Files and programs that have to be built are named by the command line alone, and prepared when the server starts. */
function refusalOfName(name: string, onCommandLine: ReadonlySet<string>): string | undefined {
  if (onCommandLine.has(name)) return undefined;
  const refused = (what: string): string => `the server was not started with --target ${name}; it takes ${what} from its command line only`;
  if (isPath(name)) return refused('files');
  try {
    chooseTarget(name);
    return targetNamed(name).program === undefined ? undefined : refused('programs');
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function refusalOfVersion(side: string, name: string, asked: string | undefined, own: string | undefined): string | undefined {
  if (asked === undefined || asked === own) return undefined;
  const has =
    own === undefined ? `the server was not told which version that is (--${side}-version)` : `the server judges version ${own} of it`;
  return `the request is about version ${asked} of ${name}, and ${has}: start it with the version that is rolled out`;
}

/**
 * A gate of a server before this one, as this one tells of it. Its names answer for it only where they surely stand for what they
 * stood for then: a file's text does not say which version it starts, so that one has to be named, and to be the same.
 */
export function fromBefore(job: GateJob, choose: Site['choose']): GateJob {
  const question = choose({ baseline: job.baseline, candidate: job.candidate });
  const isSame = !('refused' in question) && agrees(job, question) && agrees(question, job);
  const isTied = SIDES.every((side) => !isPath(job[side]) || job[`${side}Version`] !== undefined);
  return isSame && isTied ? job : { ...job, byKeyOnly: true };
}
