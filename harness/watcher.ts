import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { createRealTimeline } from '../runtime/timeline.ts';
import { REPORT_FD, readNotes } from './trial-spec.ts';

/**
 * A thread beside the trials: reports who is running and how much memory and processor time is used, even while the main
 * thread spins, and ends the process when its parent is gone.
 */
const PERIOD_MS = 50;

const { notes, parentPid } = workerData as { notes: Int32Array; parentPid: number };

function report(): void {
  writeSync(REPORT_FD, `${JSON.stringify(readNotes(notes))}\n`);
}

const clock = createRealTimeline().scope('watcher');
for (;;) {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
  try {
    report();
  } catch {
    // Nobody reads the reports any more: the supervisor is gone, or about to kill this process.
    process.kill(process.pid, 'SIGKILL');
  }
  await clock.sleep(PERIOD_MS);
}
