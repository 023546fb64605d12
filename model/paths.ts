import { isAbsolute } from 'node:path';

/** What begins with `.` or `/` is a file; everything else is a name. */
export function isPath(name: string): boolean {
  return name.startsWith('.') || isAbsolute(name);
}
