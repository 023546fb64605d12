import { LineCounter, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { LoadError } from '../harness/load-error.ts';
import type { KubeObject } from '../model/kube.ts';

/** A file's text. */
export interface ManifestFile {
  /** As in messages. */
  readonly path: string;
  readonly text: string;
}

/** One object of a manifest. */
export interface Manifest {
  /** Its location: `web.yaml, document 2 (Deployment shop/web)`. */
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
/** Typed lists have items; an untyped `List` may have none, as in the output of `kubectl get -o yaml`. */
const listSchema = z.union([
  z.looseObject({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) }),
  z.looseObject({ apiVersion: z.literal('v1'), kind: z.literal('List'), items: z.array(z.unknown()).nullish() }),
]);
/** Files that are often beside manifests, but are input of other tools, with the command that renders them. */
const RENDERED_BY: readonly (readonly [name: RegExp, command: string])[] = [
  [/(^|\/)kustomization\.ya?ml$/, 'kubectl kustomize'],
  [/(^|\/)(Chart|values[^/]*)\.ya?ml$/, 'helm template'],
];

/** Tags of YAML 1.1 that the Go library in kubectl does not support. */
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
  // A template may even be valid YAML, with another meaning.
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

/** @throws LoadError for aliases without anchors, and for too many aliases */
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
    const why =
      metadata.generateName === undefined ? 'every object needs a name' : 'kubectl apply does not support generateName: give it a name';
    throw new LoadError(`${where} (${kind}): metadata.name is missing; ${why}`);
  }
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  return [{ where: `${where} (${kind} ${name})`, apiVersion, kind, object: parsed.data }];
}

/** A hint for a file of another tool. */
function hintOf(where: string): string {
  const [path = ''] = where.split(', document ');
  const command = RENDERED_BY.find(([name]) => name.test(path))?.[1];
  return command === undefined ? '' : ` (this is not a manifest: render it with \`${command}\`, and name a directory with only the result)`;
}
