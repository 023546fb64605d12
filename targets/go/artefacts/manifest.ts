import { z } from 'zod';

/** The file that makes a folder of the cache an artefact. */
export const MANIFEST_FILE = 'manifest.json';
/** The compiled program, in the same folder. */
export const WASM_FILE = 'program.wasm';
/** The subfolder of CustomResourceDefinitions. */
export const CRDS_FOLDER = 'crds';

/** Format of the manifest's fields. */
export const MANIFEST_FORMAT = 1;
/** Version of the build process: raise it if the same sources would give a different artefact, so that old ones are not used. */
export const RECIPE = 2;

const text = z.string().min(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits');

/** How it was verified that a module's replacement has the same content. */
export const EVIDENCE = {
  asked: 'as requested',
  module: "as the program's own go.mod says",
  extended: 'the same, with a file added that it lacks for js',
  content: "the same content, by the hash in the program's own go.sum",
  commit: 'the same commit',
  time: 'a commit of the same second; the commits themselves could not be compared',
  none: 'the commits could not be compared',
} as const;
export type Evidence = keyof typeof EVIDENCE;

const manifestSchema = z.strictObject({
  format: z.literal(MANIFEST_FORMAT, `must be ${MANIFEST_FORMAT}: it was written by another version of Scaleproof`),
  recipe: z.int(),
  /** What was requested: `karpenter` and `1.14.1`. */
  program: text,
  version: text,
  module: text,
  /** The version at the module proxy; absent for a checkout. */
  moduleVersion: text.optional(),
  package: text,
  /** Folders outside Go's module cache that were used: checkouts. The digest covers their contents. */
  local: z.strictObject({ directories: z.array(text), sha256 }).optional(),
  /** Hashes of modules with versions, as in go.sum: `h1:...`. */
  sums: z.record(z.string(), text),
  replaces: z.array(z.strictObject({ module: text, by: text, evidence: z.enum(Object.keys(EVIDENCE) as [Evidence, ...Evidence[]]) })),
  goVersion: text,
  /** Go's flags, besides the package. */
  flags: z.array(z.string()),
  /** Of the changes to the standard library; null if it is unchanged. */
  overlaySha256: sha256.nullable(),
  /** Of the request, and of all inputs. */
  request: sha256,
  digest: sha256,
  wasm: z.strictObject({ sha256, bytes: z.int().nonnegative() }),
  /** Sorted by name. */
  crds: z.array(z.strictObject({ file: z.string().regex(/^[\w.-]+\.ya?ml$/), sha256 })),
  builtAt: z.iso.datetime(),
  /** How long the build took. */
  seconds: z.number().nonnegative(),
});

/** What an artefact is, and what it was built from. */
export type Manifest = z.infer<typeof manifestSchema>;
/** A module that was replaced by another. */
export type Replacement = Manifest['replaces'][number];

/** @throws Error that names the invalid field */
export function parseManifest(source: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new Error(`${MANIFEST_FILE} is not JSON`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `${MANIFEST_FILE}: ${issue === undefined ? 'it is not valid' : `${issue.path.map(String).join('.') || 'it'}: ${issue.message}`}`,
  );
}
