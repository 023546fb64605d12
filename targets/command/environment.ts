import { join } from 'node:path';
import { defined } from '../../model/defined.ts';
import { RUN_VARIABLE } from '../../model/program-environment.ts';
import type { ProgramEnvironment } from '../../model/program-environment.ts';
import { ProgramError } from '../target.ts';
import type { TargetSite } from '../target.ts';

/**
 * What a program gets of the machine's own environment: where programs are found, and a home and a temporary folder that
 * are its alone. Nothing of the user's, whose credentials and clusters no program under test must find. And the run's name,
 * if it has one, by which a sweep finds the program should it outlive both the run and its keeper.
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
