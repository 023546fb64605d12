import { BuildError } from '../targets/go/build/build-error.ts';
import { buildGoProgram } from '../targets/go/build/build.ts';
import { OverlayError } from '../targets/go/build/overlay.ts';
import type { BuildResult, GoProgramSpec } from '../targets/go/build/spec.ts';
import { WasmError } from '../targets/go/build/wasm-module.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { BuildProgressLine } from './build-progress.ts';
import type { Console } from './console.ts';
import { UsageError } from './usage-error.ts';

/**
 * Builds a program, or finds an earlier build of it, and shows the progress.
 * @returns the built program, or why it can't be built if that is not a usage error
 * @throws UsageError where something is missing: Go, a version, a checkout; the signal's reason when it is aborted
 */
export async function buildTarget(spec: GoProgramSpec, signal: AbortSignal, console: Console): Promise<BuildResult | string> {
  const line = new BuildProgressLine(console, createRealTimeline().scope('target build'));
  try {
    return await buildGoProgram(spec, { signal, onProgress: (progress) => line.report(progress) });
  } catch (error) {
    if (error instanceof BuildError && error.isRefusal) throw new UsageError(error.message);
    if (error instanceof BuildError || error instanceof OverlayError || error instanceof WasmError) return error.message;
    throw error;
  } finally {
    line.close();
  }
}
