import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { RUN_VARIABLE } from '../../model/program-environment.ts';
import type { ProgramEnvironment } from '../../model/program-environment.ts';
import { ProgramError } from '../target.ts';
import type { TargetSite } from '../target.ts';

/**
 * The part of the machine's environment that a program gets: PATH, and its own home and temporary folders. Nothing of the
 * user's, because a program under test must not find the user's credentials and clusters. It also gets the run's name, if
 * any, so that a sweep can find the program if it outlives both the run and its keeper.
 */
export function hostEnvironment(folder: string): Readonly<Record<string, string>> {
  const { PATH, [RUN_VARIABLE]: run } = process.env;
  return { ...defined({ PATH, [RUN_VARIABLE]: run }), HOME: folder, TMPDIR: folder };
}

/** Opens the site's sockets. @throws ProgramError in virtual time */
export async function openProgramSockets({ openSockets }: TargetSite, folder: string): Promise<ProgramEnvironment> {
  if (openSockets === undefined) throw new ProgramError('a program needs a world in real time');
  return openSockets(join(folder, 'kubeconfig'));
}
