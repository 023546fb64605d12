import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRealTimeline } from '../../../runtime/timeline.ts';

/** A program whose first argument selects what it does: for tests of programs as targets. */
const what = process.argv[2];
const args: readonly string[] = process.argv.slice(3);

/** Stays alive without timers, because a real program only knows the machine's time. */
const idle = (): void => void createServer().listen(0, '127.0.0.1');

const ASK_PERIOD_MS = 500;

async function ask(): Promise<void> {
  const body = 'Action=DescribeInstances&Version=2016-11-15';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await fetch(process.env['AWS_ENDPOINT_URL'] ?? '', { method: 'POST', headers, body });
  process.stdout.write('asked\n');
}

/** Lists a resource of the API server, such as `api/v1/nodes`. */
async function list(path: string): Promise<void> {
  const { status } = await fetch(`${process.env['CLUSTER_ENDPOINT'] ?? ''}/${path}`);
  process.stdout.write(`${path}: ${status}\n`);
}

switch (what) {
  case 'exit':
    process.stderr.write('no configuration\n');
    process.exitCode = Number(args[0] ?? 0);
    break;
  case 'environment':
    process.stdout.write(`${JSON.stringify({ ...process.env, args })}\n`);
    break;
  case 'echo':
    process.stdin.pipe(process.stdout);
    process.stdin.on('end', () => process.stdout.write(` ${args.join(' ')}\n`));
    break;
  case 'family':
    // A child in the same group; both ignore SIGTERM.
    process.on('SIGTERM', () => undefined);
    process.stdout.write(`${process.pid} ${String(spawn(process.execPath, [process.argv[1] ?? '', 'idle']).pid)}\n`);
    idle();
    break;
  case 'ask':
    for (const clock = createRealTimeline().scope('stub'); ; await clock.sleep(ASK_PERIOD_MS)) await ask();
  case 'list':
    for (const path of args) await list(path);
    process.on('SIGTERM', () => process.exit(0));
    idle();
    break;
  case 'healthy':
    createServer((_request, response) => response.end('ok')).listen(Number(process.env['PORT']), '127.0.0.1');
    break;
  default:
    process.stdout.write(`home ${process.env['HOME'] ?? ''}\n`);
    idle();
}
