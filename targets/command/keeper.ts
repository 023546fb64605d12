import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { ProgramOrder } from './program.ts';

/**
 * The process that supervises one program, like a container runtime: it starts the program in its own process group, and kills
 * the whole group when its standard input ends, so also when its parent was killed. The first line of its input is the order
 * as JSON; a later line `stop` tells the program to stop. Exits with the program's exit code, or 128 and the signal's number;
 * 127 if the program can't be started.
 */
const NOT_STARTED = 127;
const SIGNALLED = 128;

function keep(): void {
  const input = createInterface({ input: process.stdin });
  let stop = (): void => undefined;
  let kill = (): void => process.exit(0);
  input.once('line', (line) => {
    const order = JSON.parse(line) as ProgramOrder;
    const [program = '', ...args] = order.command;
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        cwd: order.directory,
        env: { ...order.environment },
        stdio: [order.input === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'],
        detached: true,
      });
    } catch (error) {
      // For arguments that no program can have, such as a name that is empty.
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      rmSync(order.folder, { recursive: true, force: true });
      process.exit(NOT_STARTED);
    }
    const killGroup = (): void => {
      // If the program could not be started, there is no group.
      if (child.pid !== undefined) signalGroup(child.pid);
    };
    const end = (code: number): void => {
      killGroup();
      rmSync(order.folder, { recursive: true, force: true });
      process.exit(code);
    };
    stop = () => void child.kill('SIGTERM');
    kill = killGroup;
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      if (child.pid === undefined) end(NOT_STARTED);
    });
    child.on('exit', (code, signal) => end(code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal])));
    // The program may exit before it has read everything.
    child.stdin?.on('error', () => undefined).end(order.input);
    input.on('line', (text) => {
      if (text === 'stop') stop();
    });
  });
  input.on('close', () => kill());
}

function signalGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// Ctrl-C on a terminal is for the parent, which then closes the input.
process.on('SIGINT', () => undefined);
keep();
