import { defined } from '../../model/defined.ts';
import { createPaint } from '../../reports/paint.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { createPrograms } from '../../world/kind/programs.ts';
import { requirements } from '../../world/kind/requirements.ts';
import type { Requirement } from '../../world/kind/requirements.ts';
import type { Console } from '../console.ts';
import { IMAGE_VARIABLE } from '../kind-world.ts';
import { EXIT } from '../usage-error.ts';

/**
 * `scaleproof doctor`: checks that everything `--world kind` needs is installed, and says how to fix what is not.
 * @returns the exit code: 0 when everything needed is installed, else 1
 */
export async function doctor(options: { readonly json: boolean }, console: Console): Promise<number> {
  const clock = createRealTimeline().scope('doctor');
  const image = process.env[IMAGE_VARIABLE];
  const found = await requirements({
    programs: createPrograms(),
    clock,
    environment: process.env,
    image: image === '' ? undefined : image,
  });
  const isReady = found.every(({ isNeeded, isThere }) => isThere || !isNeeded);
  console.out(
    options.json
      ? `${JSON.stringify({ ready: isReady, requirements: found.map(asJson) }, undefined, 2)}\n`
      : layOut(found, isReady, console),
  );
  return isReady ? EXIT.pass : EXIT.fail;
}

function asJson({ name, isNeeded, isThere, found, fix }: Requirement): object {
  return { name, needed: isNeeded, ok: isThere, found, ...(!isThere && defined({ fix })) };
}

function layOut(found: readonly Requirement[], isReady: boolean, console: Console): string {
  const paint = createPaint(console.color);
  const width = Math.max(...found.map(({ name }) => name.length));
  const lines = found.flatMap(({ name, isNeeded, isThere, found: what, fix }) => {
    const mark = isThere ? paint('pass', 'ok     ') : paint(isNeeded ? 'fail' : 'unknown', 'missing');
    const line = `${mark}  ${name.padEnd(width)}  ${what}${isNeeded || isThere ? '' : ' (optional)'}`;
    return isThere || fix === undefined ? [line] : [line, `${' '.repeat(9)}${' '.repeat(width)}  ${paint('dim', fix)}`];
  });
  const end = isReady
    ? 'Everything that --world kind needs is here.'
    : 'Not ready for --world kind. The embedded world needs nothing but node.';
  return `${[...lines, '', end].join('\n')}\n`;
}
