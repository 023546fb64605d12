import { z } from 'zod';
import { PROFILES } from '../history/events.ts';
import type { Profile } from '../history/events.ts';
import { objectError } from '../model/field-errors.ts';

/** `scaleproof.config.ts`: defaults for flags of `run`, `gate` and `compare`. Each field applies to the commands that have its flag. */
export interface ScaleproofConfig {
  /** `--target`: a name, or a file as in `./target.yaml`. Paths are relative to the working directory, as for flags. */
  readonly target?: string | undefined;
  /** `--baseline` and `--candidate` of `gate`: names, files or run directories. */
  readonly baseline?: string | undefined;
  readonly candidate?: string | undefined;
  /** `--suite`. */
  readonly suites?: readonly string[] | undefined;
  /** `--scenario`: ids and files. */
  readonly scenarios?: readonly string[] | undefined;
  /** `--manifests`: a directory. */
  readonly manifests?: string | undefined;
  /** `--strict`: with manifests, workloads that are not shown to be served are a failure. */
  readonly strict?: boolean | undefined;
  /** `--grep` and `--grep-invert`: regular expressions, as text. */
  readonly grep?: string | undefined;
  readonly grepInvert?: string | undefined;
  /** `--profile`. */
  readonly profiles?: readonly Profile[] | undefined;
  /** `--seed`: of the first trial. */
  readonly seed?: number | undefined;
  /** `--trials`: of each scenario. */
  readonly trials?: number | undefined;
  /** `--workers`: parallel processes. */
  readonly workers?: number | undefined;
  /** `--policy`: a YAML file. */
  readonly policy?: string | undefined;
}

const text = z.string('must be a text').min(1, 'must not be empty');
const whole = z.int('must be a whole number');

/** The default export of the file. The flags know which numbers and names are valid. */
export const configSchema: z.ZodType<ScaleproofConfig> = z.strictObject(
  {
    target: text.optional(),
    baseline: text.optional(),
    candidate: text.optional(),
    suites: z.array(text, 'must be a list of suites').optional(),
    scenarios: z.array(text, 'must be a list of ids and files').optional(),
    manifests: text.optional(),
    strict: z.boolean('must be true or false').optional(),
    grep: text.optional(),
    grepInvert: text.optional(),
    profiles: z.array(z.enum(PROFILES, `must be one of ${PROFILES.join(', ')}`), 'must be a list of profiles').optional(),
    seed: whole.optional(),
    trials: whole.optional(),
    workers: whole.optional(),
    policy: text.optional(),
  },
  { error: objectError },
);

/** Returns the configuration as it is: for types and completion in an editor. */
export function defineConfig(config: ScaleproofConfig): ScaleproofConfig {
  return config;
}
