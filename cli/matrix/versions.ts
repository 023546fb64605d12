import { findArtefact, listArtefacts } from '../../targets/go/artefacts/cache.ts';
import { TargetVersionError, parseTargetVersion, specOf } from '../../targets/go/build/programs.ts';
import { builtOf } from '../../targets/go/target-program.ts';
import { chooseTarget } from '../choose.ts';
import type { ChosenTarget } from '../choose.ts';
import { UsageError } from '../usage-error.ts';

/** Stands between the first and the last version of a range. */
const RANGE = '..';
/** A table with more columns is not readable. */
const MAX_VERSIONS = 24;

/** The columns of a matrix. */
export interface ChosenVersions {
  readonly versions: readonly ChosenTarget[];
  /** What the user should know about ranges, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * The targets that the user named, in that order: one by one, or as a range, `A@1.9 .. A@1.14.1`.
 * @param builtReleases the releases of a program that are built; by default those in the cache
 * @throws UsageError for unknown names, invalid ranges, and a target that is named twice
 */
export function chooseVersions(
  names: readonly string[],
  builtReleases: (program: string) => readonly string[] = releasesBuilt,
): ChosenVersions {
  const labels: string[] = [];
  const notes: string[] = [];
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? '';
    if (name === RANGE) throw new UsageError(`${RANGE} stands between two versions, as in karpenter@1.14.0 ${RANGE} karpenter@1.14.1`);
    if (names[at + 1] !== RANGE) {
      labels.push(name);
      continue;
    }
    const range = versionsBetween(name, names[at + 2] ?? '', builtReleases);
    labels.push(...range.labels);
    notes.push(range.note);
    at += 2;
  }
  const versions = labels.map(chooseTarget);
  const twice = versions.find(({ label }, index) => versions.findIndex((other) => other.label === label) !== index);
  if (twice !== undefined) throw new UsageError(`${twice.label} is named twice; every version is one column`);
  if (versions.length > MAX_VERSIONS)
    throw new UsageError(`a matrix has at most ${MAX_VERSIONS} versions, not ${versions.length}; give fewer, or a shorter range`);
  return { versions, notes };
}

/** One end of a range: one to three numbers. */
interface RangeEnd {
  readonly text: string;
  readonly program: string;
  readonly numbers: readonly number[];
}

/** The built releases of a range, and those of its ends that are named in full: these are built if necessary. */
function versionsBetween(
  first: string,
  last: string,
  builtReleases: (program: string) => readonly string[],
): { readonly labels: string[]; readonly note: string } {
  const [from, to] = [endOf(first), endOf(last)];
  if (from.program !== to.program)
    throw new UsageError(`${first} ${RANGE} ${last}: a range is of one program; name the versions of others one by one`);
  const [lowest, highest] = [padded(from.numbers, 0), padded(to.numbers, Infinity)];
  if (compare(lowest, highest) > 0) throw new UsageError(`${first} ${RANGE} ${last}: the first version is the older one`);
  const ends = [from, to].filter(({ numbers }) => numbers.length === PARTS).map(({ numbers }) => numbers.join('.'));
  const known = [...new Set([...builtReleases(from.program), ...ends])].map((version) => ({ version, numbers: numbersOf(version) }));
  const within = known
    .filter(({ numbers }) => compare(numbers, lowest) >= 0 && compare(numbers, highest) <= 0)
    .sort((a, b) => compare(a.numbers, b.numbers));
  for (const { text, program, numbers } of [from, to]) {
    if (within.some((one) => numbers.every((number, index) => one.numbers[index] === number))) continue;
    const whole = `${program}@${padded(numbers, 0).join('.')}`;
    throw new UsageError(
      `${first} ${RANGE} ${last}: no release of ${text} is built; name it in full, as in ${whole}, or build it: scaleproof target build ${whole}`,
    );
  }
  const labels = within.map(({ version }) => `${from.program}@${version}`);
  return {
    labels,
    note: `${first} ${RANGE} ${last}: ${labels.join(', ')}. Releases between that are not built are left out; \`scaleproof target build\` builds them`,
  };
}

const PARTS = 3;
const END = /^([a-z][a-z0-9-]*)@v?(\d{1,6}(?:\.\d{1,6}){0,2})$/;

/** @throws UsageError for anything but a release of a program that can be built */
function endOf(text: string): RangeEnd {
  const [, program, version] = END.exec(text) ?? [];
  if (program === undefined || version === undefined)
    throw new UsageError(
      `"${text}" can't be an end of a range: it takes releases of a program, as in karpenter@1.14.0 ${RANGE} karpenter@1.14.1; name other targets one by one`,
    );
  const numbers = numbersOf(version);
  try {
    parseTargetVersion(`${program}@${padded(numbers, 0).join('.')}`);
  } catch (error) {
    if (error instanceof TargetVersionError) throw new UsageError(error.message);
    throw error;
  }
  return { text, program, numbers };
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}

function padded(numbers: readonly number[], by: number): number[] {
  return Array.from({ length: PARTS }, (_, index) => numbers[index] ?? by);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
}

/** The releases of a program in the cache that this version of Scaleproof can run. */
function releasesBuilt(program: string): string[] {
  const versions = listArtefacts().artefacts.flatMap(({ manifest }) => (manifest.program === program ? [manifest.version] : []));
  return [...new Set(versions)].filter((version) => {
    if (!/^\d+\.\d+\.\d+$/.test(version)) return false;
    const parsed = parseTargetVersion(`${program}@${version}`);
    // Releases that are not on the module proxy are always built from a checkout.
    const built = parsed.program.checkout === undefined ? builtOf(specOf(parsed, {})) : findArtefact(program, version);
    return built !== undefined;
  });
}
