import { readFileSync } from 'node:fs';
import { bundledWarning, titleOf } from './settings.ts';
import { templatePath, versionsIn } from './kits.ts';
import type { Kit, Settings } from './kits.ts';

/** A placeholder in a template, as in `@TARGET@`. */
const PLACEHOLDER = /@([A-Z_]+)@/g;

/** A file of a kit, ready to be written. */
export interface RenderedFile {
  /** From the kit's folder. */
  readonly to: string;
  readonly text: string;
}

/** The files of a kit for these settings. @throws Error for a placeholder that does not exist */
export function renderKit(kit: Kit, given: Settings): RenderedFile[] {
  const values = valuesOf(kit, given);
  return kit.files
    .filter(({ when }) => when?.(given) !== false)
    .map((file) => ({ to: file.to, text: render(readFileSync(templatePath(file), 'utf8'), values) }));
}

/** Fills in the placeholders. A line with one that has no value is left out. */
function render(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return template
    .split('\n')
    .flatMap((line) => {
      const names = [...line.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
      const unknown = names.find((name) => !Object.hasOwn(values, name));
      if (unknown !== undefined) throw new Error(`no value is known for the placeholder ${unknown}`);
      if (names.some((name) => values[name] === undefined)) return [];
      return [line.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? '')];
    })
    .join('\n');
}

function valuesOf(kit: Kit, given: Settings): Readonly<Record<string, string | undefined>> {
  const { target, baseline, manifests } = given;
  const warning = bundledWarning(given);
  const flags = { target, manifests };
  const options = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
  return {
    TARGET: target,
    BASELINE: baseline,
    /** Empty without manifests, for a variable that a user may set later. */
    MANIFESTS: manifests ?? '',
    /** The flag for a list of arguments. */
    MANIFESTS_FLAG: manifests === undefined ? undefined : `--manifests=${manifests}`,
    /** What is tested, for names and comments. */
    TITLE: titleOf(given),
    WARNING: warning === undefined ? undefined : `WARNING: ${warning}.`,
    BUILD: build(baseline, target),
    /** The command that wrote the file, without a baseline. */
    COMMAND: ['npx scaleproof init', kit.name, ...options].join(' '),
  };
}

/** A Dockerfile's steps that build the versions in these targets; undefined if there are none. */
function build(...targets: readonly (string | undefined)[]): string | undefined {
  const versions = new Set(targets.flatMap((target = '') => versionsIn(target)));
  const steps = [...versions].map((version) => `RUN node node_modules/scaleproof/bin/scaleproof.js target build ${version}`);
  return steps.length === 0 ? undefined : steps.join('\n');
}
