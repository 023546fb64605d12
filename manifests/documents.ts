import { LineCounter, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { LoadError } from '../harness/load-error.ts';
import type { KubeObject } from '../model/kube.ts';

/** A file's text. */
export interface ManifestFile {
  /** As messages name it. */
  readonly path: string;
  readonly text: string;
}

/** One object of a manifest. */
export interface Manifest {
  /** Where it stands: `web.yaml, document 2 (Deployment shop/web)`. */
  readonly where: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: KubeObject;
}

const objectSchema = z.looseObject(
  {
    apiVersion: z.string('must be a text').min(1, 'must not be empty'),
    kind: z.string('must be a text').min(1, 'must not be empty'),
    metadata: z.looseObject(
      {
        name: z.string('must be a text').optional(),
        generateName: z.string('must be a text').optional(),
        namespace: z.string('must be a text').optional(),
      },
      'must be an object',
    ),
  },
  'must be an object',
);
/** Lists of kinds have items; those of no kind may have none, as `kubectl get -o yaml` prints them. */
const listSchema = z.union([
  z.looseObject({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) }),
  z.looseObject({ apiVersion: z.literal('v1'), kind: z.literal('List'), items: z.array(z.unknown()).nullish() }),
]);
/** Files that are no manifests, and are often beside them: what makes manifests of them. */
const MADE_BY: readonly (readonly [name: RegExp, command: string])[] = [
  [/(^|\/)kustomization\.ya?ml$/, 'kubectl kustomize'],
  [/(^|\/)(Chart|values[^/]*)\.ya?ml$/, 'helm template'],
];

/** Tags of YAML 1.1 that the Go library behind kubectl doesn't know. */
const FOREIGN_TAGS = ['tag:yaml.org,2002:timestamp', 'tag:yaml.org,2002:binary'];
const SEXAGESIMAL = 'TIME';

/**
 * Reads the objects of a file: YAML of one or more documents, or JSON, with lists opened. Scalars are read as kubectl does
 * (YAML 1.1 without times: `0644` is octal, `on` is true).
 * @throws LoadError that names file, document and field
 */
export function readManifests({ path, text }: ManifestFile): Manifest[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.1',
    merge: true,
    stringKeys: true,
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || (!FOREIGN_TAGS.includes(tag.tag) && !('format' in tag && tag.format === SEXAGESIMAL)),
      ),
  });
  if ('empty' in documents) return [];
  // Templates may even be YAML, of another meaning.
  const hint = text.includes('{{') ? ' (it looks like a template: render it first)' : '';
  return documents.flatMap((document, index) => {
    const where = `${path}, document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new LoadError(`${where}, line ${line}, column ${col}: ${error.message}${hint}`);
    }
    return objectsOf(valueOf(document, where), where);
  });
}

/** @throws LoadError for aliases without anchors, and too many of them */
function valueOf(document: { toJS(): unknown }, where: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new LoadError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectsOf(value: unknown, where: string): Manifest[] {
  if (value === null || value === undefined) return [];
  const list = listSchema.safeParse(value);
  if (list.success) return (list.data.items ?? []).flatMap((item, index) => objectsOf(item, `${where}, items[${index}]`));
  const parsed = objectSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.map(String).join('.') ?? '';
    throw new LoadError(
      `${where}: ${field === '' ? 'it' : field} ${issue?.message ?? 'is not valid'}; an object has apiVersion, kind and metadata${hintOf(where)}`,
    );
  }
  const { apiVersion, kind, metadata } = parsed.data;
  if (metadata.name === undefined || metadata.name === '') {
    const why = metadata.generateName === undefined ? 'every object needs a name' : 'kubectl applies none by its generateName: name it';
    throw new LoadError(`${where} (${kind}): metadata.name is missing; ${why}`);
  }
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return [{ where: `${where} (${kind} ${name})`, apiVersion, kind, object: parsed.data }];
}

/** What to do with a file that other tools read. */
function hintOf(where: string): string {
  const [path = ''] = where.split(', document ');
  const command = MADE_BY.find(([name]) => name.test(path))?.[1];
  return command === undefined
    ? ''
    : ` (this is no manifest: render it with \`${command}\`, and name a directory that holds the result alone)`;
}
