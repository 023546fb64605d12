import { z } from 'zod';

/** The file that makes a folder of the cache an artefact. */
export const MANIFEST_FILE = 'manifest.json';
/** The compiled program, beside it. */
export const WASM_FILE = 'program.wasm';
/** The folder of CustomResourceDefinitions, beside it. */
export const CRDS_FOLDER = 'crds';

/** Of the manifest's fields. */
export const MANIFEST_FORMAT = 1;
/** Of how artefacts are made: another number where the same sources would give another artefact, which nobody may take for the old one. */
export const RECIPE = 2;

const text = z.string().min(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits');

/** How it is known that what a module was replaced by is the same. */
export const EVIDENCE = {
  asked: 'as asked for',
  module: "as the program's own go.mod says",
  content: "the same content, by the hash in the program's own go.sum",
  commit: 'the same commit',
  time: 'a commit of the same second; the commits themselves could not be compared',
  none: 'the commits could not be compared',
} as const;
export type Evidence = keyof typeof EVIDENCE;

const manifestSchema = z.strictObject({
  format: z.literal(MANIFEST_FORMAT, `must be ${MANIFEST_FORMAT}: it is of another Scaleproof`),
  recipe: z.int(),
  /** What was asked for: `karpenter` and `1.14.1`. */
  program: text,
  version: text,
  module: text,
  /** As the module proxy has it; none of a checkout. */
  moduleVersion: text.optional(),
  package: text,
  /** Folders outside Go's module cache that it was made from: checkouts. What they held is in the digest. */
  local: z.strictObject({ directories: z.array(text), sha256 }).optional(),
  /** What modules with versions hold, as go.sum says it: `h1:...`. */
  sums: z.record(z.string(), text),
  replaces: z.array(z.strictObject({ module: text, by: text, evidence: z.enum(Object.keys(EVIDENCE) as [Evidence, ...Evidence[]]) })),
  goVersion: text,
  /** What Go was told beside the package. */
  flags: z.array(z.string()),
  /** What was changed of the standard library; null where it is Go's own. */
  overlaySha256: sha256.nullable(),
  /** Of what was asked for, and of everything that went in. */
  request: sha256,
  digest: sha256,
  wasm: z.strictObject({ sha256, bytes: z.int().nonnegative() }),
  /** In the order of their names. */
  crds: z.array(z.strictObject({ file: z.string().regex(/^[\w.-]+\.ya?ml$/), sha256 })),
  builtAt: z.iso.datetime(),
  /** How long it took to build. */
  seconds: z.number().nonnegative(),
});

/** What an artefact is and what it was made of. */
export type Manifest = z.infer<typeof manifestSchema>;
/** A module that another took the place of. */
export type Replacement = Manifest['replaces'][number];

/** @throws Error that says which field is wrong */
export function parseManifest(source: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new Error(`${MANIFEST_FILE} is no JSON`);
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `${MANIFEST_FILE}: ${issue === undefined ? 'it is not valid' : `${issue.path.map(String).join('.') || 'it'}: ${issue.message}`}`,
  );
}
