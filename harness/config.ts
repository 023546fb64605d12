import { z } from 'zod';
import { PROFILES } from '../history/events.ts';
import type { Profile } from '../history/events.ts';
import { objectError } from '../model/field-errors.ts';

/** `scaleproof.config.ts`: defaults for flags of `run`, `gate` and `compare`. Each field applies to the commands that have its flag. */
export interface ScaleproofConfig {
  /** `--target`: a name, or a file as in `./target.yaml`. Paths are relative to the working directory, as for flags. */
  readonly target?: string | undefined;
  /** `--scenario`: ids and files. */
  readonly scenarios?: readonly string[] | undefined;
  /** `--manifests`: a directory. */
  readonly manifests?: string | undefined;
  /** `--profile`. */
  readonly profiles?: readonly Profile[] | undefined;
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
    scenarios: z.array(text, 'must be a list of ids and files').optional(),
    manifests: text.optional(),
    profiles: z.array(z.enum(PROFILES, `must be one of ${PROFILES.join(', ')}`), 'must be a list of profiles').optional(),
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
