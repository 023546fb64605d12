import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { nearest } from './nearest.ts';

/** Folders of our own code that can be between a user's call and the place where a mistake is found. */
const OWN_FOLDERS = [
  'cli',
  'clients',
  'explore',
  'faults',
  'harness',
  'history',
  'manifests',
  'model',
  'playwright',
  'runtime',
  'suites',
  'targets',
  'wire',
  'world',
];
const CODE_ROOT = new URL('..', import.meta.url).href;

/** Stands for the map that has an unknown field, whose name is only known later. */
const MAP = '\u0000';
/** Most characters of a wrong value in a message. */
const MAX_SHOWN = 60;

/** A user's own scenario is wrong. The message names file and line of the user's call, what is wrong, and what to write. */
export class Mistake extends Error {
  /** @param what is wrong @param at an error that was created in the same call; by default here */
  constructor(what: string, at?: Error) {
    super(what);
    this.name = 'Mistake';
    const place = placeOf(at ?? this);
    if (place !== undefined) this.message = `${place}: ${what}`;
  }
}

/** `FILE:LINE` of the innermost call in a user's file; undefined if the error has none. Paths below the working directory are relative. */
export function placeOf({ stack = '' }: Error): string | undefined {
  for (const line of stack.split('\n')) {
    const [, url = '', number = ''] = /[\s(](file:\/\/[^\s)]+|\/[^\s():]+):(\d+):\d+\)?$/.exec(line) ?? [];
    if (!line.trimStart().startsWith('at ') || url === '' || isOwnCode(url)) continue;
    return `${shortPath(url)}:${number}`;
  }
  return undefined;
}

/** A path as messages show it: relative if it is below the working directory. @param file a path, or the URL of a file */
export function shortPath(file: string): string {
  const path = file.startsWith('file:') ? fileURLToPath(file.replace(/\?.*$/, '')) : file;
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') || isAbsolute(near) ? path : near;
}

function isOwnCode(file: string): boolean {
  const url = file.startsWith('file:') ? file : `file://${file}`;
  if (!url.startsWith(CODE_ROOT)) return url.includes('/node_modules/');
  return [...OWN_FOLDERS, 'node_modules'].includes(url.slice(CODE_ROOT.length).split('/')[0] ?? '');
}

/**
 * Refuses a value that a user's scenario gives.
 * @param call what the user called, as in `t.deploy`
 * @param noun what the value is, as in `a workload`
 * @throws Mistake that names file, line and field
 */
export function refuseUnless(schema: z.ZodType, value: unknown, { call, noun }: { readonly call: string; readonly noun: string }): void {
  const problem = problemOf(schema, value, noun);
  if (problem !== undefined) throw new Mistake(`${call}: ${problem}`);
}

/** The first problem of a value as a sentence that names the field; undefined if there is none. Fields that do not exist come first. */
export function problemOf(schema: z.ZodType, value: unknown, noun: string): string | undefined {
  const { error } = schema.safeParse(value, { error: messageOf, reportInput: true });
  if (error === undefined) return undefined;
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys' || code === 'invalid_key') ?? error.issues[0];
  return issue === undefined ? undefined : sentenceOf(issue, noun);
}

function sentenceOf(issue: z.core.$ZodIssue, noun: string): string {
  const path = issue.path.map(String).join('.');
  const field = path === '' ? noun : `\`${path}\``;
  if (issue.code === 'invalid_key') return issue.message.replaceAll(MAP, `\`${issue.path.slice(0, -1).map(String).join('.')}\``);
  if (issue.code === 'unrecognized_keys') return issue.message.replaceAll(MAP, field);
  const { message } = issue;
  const input = issue.code === 'invalid_union' ? kindIn(issue) : issue.input;
  if (!message.startsWith('must')) return `${field}: ${message}`;
  if (input === undefined) return `${field} is missing: it ${message}`;
  const near = issue.code === 'invalid_value' && typeof input === 'string' ? nearest(input, issue.values.map(String)) : undefined;
  return near === undefined ? `${field} ${message}, and is ${shown(input)}` : `${field} is ${shown(input)}; did you mean \`${near}\`?`;
}

/** Of a value that is of one of several kinds: what its field says that names the kind. */
function kindIn({ discriminator = '', input }: z.core.$ZodIssueInvalidUnion): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[discriminator] : input;
}

/** Which kinds there are; none for other problems. */
function kindsOf(issue: { readonly code?: string; readonly options?: unknown }): readonly unknown[] {
  return issue.code === 'invalid_union' && Array.isArray(issue.options) ? issue.options : [];
}

/** `; did you mean NAME?`, or which names there are. */
export function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `; did you mean \`${near}\`?`;
  return known.length === 0 ? '' : `; there are: ${known.join(', ')}`;
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** What a value must be, for schemas without a message of their own. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = fieldsOf(issue.inst);
      return issue.keys.map((key) => `\`${key}\` is no field of ${MAP}${hint(key, known)}`).join(', ');
    }
    case 'invalid_key': {
      const [problem] = issue.issues;
      return `\`${String(issue.input)}\` is no key of ${MAP}${problem === undefined ? '' : `: it ${problem.message}`}`;
    }
    case 'invalid_type':
      return issue.expected === 'array' ? 'must be a list' : `must be ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_union': {
      const kinds = kindsOf(issue);
      return kinds.length === 0 ? undefined : `must be one of ${kinds.map(String).join(', ')}`;
    }
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${String(issue.maximum)}`;
    default:
      return undefined;
  }
}

/** The fields of a map that may have no others. */
function fieldsOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : [];
}
