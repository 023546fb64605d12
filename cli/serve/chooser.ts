import { defined } from '../../model/defined.ts';
import { chooseTarget } from '../choose.ts';
import { isPath } from '../../model/paths.ts';
import { targetNamed } from '../../targets/catalogue.ts';
import { UsageError } from '../usage-error.ts';
import { agrees } from './jobs.ts';
import type { GateJob, GateQuestion } from './jobs.ts';
import type { Site } from './server.ts';

/** What the command line allows requests to name. */
export interface Allowed {
  readonly baseline: string;
  /** Files of targets that requests may name, beside the bundled ones. */
  readonly targets: readonly string[];
  /** Versions of the baseline and of the only target. */
  readonly baselineVersion: string | undefined;
  readonly candidateVersion: string | undefined;
}

const SIDES = ['baseline', 'candidate'] as const;

/**
 * Which targets and versions requests may name. Only the command line may name files, since they are code that is run. Names of
 * targets stay the same across versions, so a request that states its version must not get the verdict of another one.
 * @throws UsageError when the command line names an unknown target
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
  return defined({ [`${side}Version`]: version });
}

/** Only the command line may name files, and programs that have to be built. They are prepared when the server starts. */
function refusalOfName(name: string, onCommandLine: ReadonlySet<string>): string | undefined {
  if (onCommandLine.has(name)) return undefined;
  const refused = (what: string): string => `the server was not started with --target ${name}; it takes ${what} from its command line only`;
  if (isPath(name)) return refused('files');
  try {
    chooseTarget(name);
    const { program, withHelper } = targetNamed(name);
    return program === undefined && withHelper === undefined ? undefined : refused('programs');
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

function refusalOfVersion(side: string, name: string, wanted: string | undefined, own: string | undefined): string | undefined {
  if (wanted === undefined || wanted === own) return undefined;
  const has = own === undefined ? `the server does not know its version (--${side}-version)` : `the server judges version ${own} of it`;
  return `the request is about version ${wanted} of ${name}, and ${has}: start the server with the version that is rolled out`;
}

/**
 * A gate of an earlier server, as this one reports it. It can be found by its names only if they certainly mean the same as then: a
 * file does not say which version it starts, so the version must have been named, and be the same.
 */
export function fromBefore(job: GateJob, choose: Site['choose']): GateJob {
  const question = choose({ baseline: job.baseline, candidate: job.candidate });
  const isSame = !('refused' in question) && agrees(job, question) && agrees(question, job);
  const isTied = SIDES.every((side) => !isPath(job[side]) || job[`${side}Version`] !== undefined);
  return isSame && isTied ? job : { ...job, byKeyOnly: true };
}
