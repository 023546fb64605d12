import { isAbsolute } from 'node:path';

/** A text that starts with `.` or `/` is a file; everything else is a name. */
export function isPath(name: string): boolean {
  return name.startsWith('.') || isAbsolute(name);
}
