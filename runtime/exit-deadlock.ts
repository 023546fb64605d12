import { setFlagsFromString } from 'node:v8';

/**
 * To be called by a program before it does anything that may end with `process.exit`. Since Node 24 two compilers of V8 work in the
 * background. If one of them waits for the garbage collection of the main thread while that thread waits in `process.exit` for the
 * compilers to end, the process stays for ever (https://github.com/nodejs/node/issues/64274).
 */
export function avoidExitDeadlock(): void {
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--no-concurrent-sparkplug');
}
