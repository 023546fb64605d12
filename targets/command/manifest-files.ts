import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { manifestProblem } from './apply.ts';
import type { Manifest } from './apply.ts';
import { NODE_CLASS_VARIABLES, TargetFileError } from './target-file.ts';
import { unknownVariable } from './variables.ts';

/** The node class in a target's file, given as an object or the path of a file. @throws TargetFileError */
export function readNodeClass(path: string, nodeClass: unknown): Manifest | undefined {
  if (nodeClass === undefined) return undefined;
  const field = 'pools.nodeClass';
  const [manifest, ...others] =
    typeof nodeClass === 'string' ? readManifests(path, field, nodeClass) : [checkManifest(path, field, nodeClass)];
  if (manifest === undefined || others.length > 0) throw new TargetFileError(`${path}: ${field} must be one object`);
  const unknown = unknownVariable(JSON.stringify(manifest), NODE_CLASS_VARIABLES);
  if (unknown !== undefined) {
    throw new TargetFileError(`${path}: ${field} refers to \${${unknown}}; known variables: ${NODE_CLASS_VARIABLES.join(', ')}`);
  }
  return manifest;
}

/** The objects in a YAML file, whose path is relative to the target's file. @throws TargetFileError */
export function readManifests(path: string, field: string, name: string): Manifest[] {
  let text: string;
  try {
    text = readFileSync(resolve(dirname(path), name), 'utf8');
  } catch {
    throw new TargetFileError(`${path}: ${field}: ${name} can't be read`);
  }
  return parseAllDocuments(text).flatMap((document, index) => {
    const [error] = document.errors;
    if (error !== undefined) throw new TargetFileError(`${path}: ${field}: ${name} is not YAML: ${error.message.split('\n')[0] ?? ''}`);
    let value: unknown;
    try {
      value = document.toJS();
    } catch (problem) {
      throw new TargetFileError(
        `${path}: ${field}: ${name} can't be read: ${problem instanceof Error ? problem.message : String(problem)}`,
      );
    }
    return value === null ? [] : [checkManifest(path, `${field}: document ${index + 1} of ${name}`, value)];
  });
}

function checkManifest(path: string, field: string, value: unknown): Manifest {
  const problem = manifestProblem(value);
  if (problem !== undefined) throw new TargetFileError(`${path}: ${field}: ${problem}`);
  return value as Manifest;
}
