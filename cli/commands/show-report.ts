import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Console } from '../console.ts';
import { MATRIX_PAGE, newestReportDirectory } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The page of a run or a gate, that of a comparison, and that of a matrix. */
const PAGES = ['report.html', 'compare.html', MATRIX_PAGE];

/** What decides how a page is opened. */
interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * `scaleproof show-report [DIR]`: prints the address of the report of a run, a gate, a comparison or a matrix, and opens it in a browser if there
 * are a terminal and a display.
 * @param directory by default the newest one
 * @returns the exit code: 0 also if nothing could open it, since the address is printed
 * @throws UsageError if there is no report
 */
export async function showReport(directory: string | undefined, console: Console, desktop: Desktop = process): Promise<number> {
  const where = directory ?? newestReportDirectory();
  const page = PAGES.find((name) => existsSync(join(where, name)));
  if (page === undefined)
    throw new UsageError(
      `${where} has no ${PAGES.slice(0, -1).join(', ')} or ${MATRIX_PAGE}; \`scaleproof report DIR\` writes the page of a run, a gate or a matrix`,
    );
  const { href } = pathToFileURL(resolve(where, page));
  console.out(`${href}\n`);
  const opener = console.interactive ? openerOf(desktop) : undefined;
  if (opener !== undefined && !(await start([...opener, href], desktop)))
    console.err(`${opener[0]} could not be started; open the address in a browser\n`);
  return EXIT.pass;
}

/** The program that opens an address in the user's browser, with its first arguments; undefined without a display. */
function openerOf({ platform, env }: Desktop): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` is a command of the shell, which would interpret the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((display) => display !== undefined && display !== '');
  return hasDisplay ? ['xdg-open'] : undefined;
}

/** Starts a program that may outlive this one. @returns whether it could be started */
async function start([program = '', ...args]: readonly string[], { env }: Desktop): Promise<boolean> {
  const child = spawn(program, args, { detached: true, stdio: 'ignore', env });
  try {
    // Rejects on `error`.
    await once(child, 'spawn');
  } catch {
    return false;
  }
  child.unref();
  return true;
}
