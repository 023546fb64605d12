import type { Representation } from '../../protocols/kube/accept.ts';
import type { Line, WireResponse } from '../../wire/wire.ts';
import { StatusError, badRequest } from '../../protocols/kube/status.ts';
import { internalPackage } from './body-types.ts';
import { listMeta, writeList } from './lists.ts';
import type { Page } from './lists.ts';
import type { ApiObject, Resource } from './resource.ts';
import { Version } from './store.ts';
import { printerOf } from './tables/printers.ts';
import type { WatchEvent } from './watches.ts';

const META_V1 = 'meta.k8s.io/v1';
const INCLUDE_OBJECT = ['None', 'Metadata', 'Object'];

/** The content of an answer, and its JSON for a client that can't take it as it is. */
export interface Unwritten {
  /** Frozen objects. Items of a list have their types, which the JSON may omit. */
  readonly decoded: object;
  readonly write: () => string;
}

/** Whether a body has yet to be written. */
export function isUnwritten(body: WireResponse['body'] | Unwritten): body is Unwritten {
  return typeof body === 'object' && 'decoded' in body;
}

/** Writes answers in the representation that a client requested. One per request: a watch sends its table's columns only once. */
export interface Writing {
  one(version: Version): string | Unwritten;
  list(page: Page): string | Unwritten;
  /** One line of a watch. */
  event(event: WatchEvent): Line;
}

/**
 * @param includeObject how much of the objects is in a table's rows: `None`, `Metadata`, `Object`
 * @throws StatusError 400 for any other value
 */
export function writingOf(as: Representation, resource: Resource, nowMs: () => number, includeObject: string | undefined): Writing {
  switch (as) {
    case 'object':
      return {
        one: (version) => ({ decoded: version.object, write: () => version.text }),
        list: (page) => ({
          decoded: { metadata: listMeta(page), items: page.versions.map(({ object }) => object) },
          write: () => writeList(resource, page),
        }),
        event: (event) => ({
          decoded: decodedEvent(event),
          get text() {
            return writeEvent(event, ({ text }) => text);
          },
        }),
      };
    case 'metadata':
    case 'metadata-list': {
      const show = ({ object }: Version): string => JSON.stringify(partial(object));
      return {
        one: (version) => {
          if (as === 'metadata') return show(version);
          throw notAcceptable('PartialObjectMetadataList', `not a list (*${goType(resource)})`);
        },
        list: (page) => {
          if (as === 'metadata') throw notAcceptable('PartialObjectMetadata', `a list (*${goType(resource)}List)`);
          // An empty list is a nil slice in Go.
          const items = page.versions.length === 0 ? null : page.versions.map(({ object }) => partial(object));
          return JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion: META_V1, metadata: listMeta(page), items });
        },
        event: (event) => ({ text: writeEvent(event, show, (bookmark) => partial(bookmark as ApiObject)) }),
      };
    }
    case 'table':
      return tables(resource, nowMs, includeObject);
  }
}

/** The refusal of `endpoints/handlers/response.go`. */
function notAcceptable(requested: string, what: string): StatusError {
  return new StatusError(406, 'NotAcceptable', `you requested ${requested}, but the requested object is ${what}`);
}

/** The real server's internal type of a resource. */
function goType({ custom, group, kind }: Resource): string {
  return custom ? 'unstructured.Unstructured' : `${internalPackage(group)}.${kind}`;
}

function tables(resource: Resource, nowMs: () => number, includeObject = 'Metadata'): Writing {
  if (!INCLUDE_OBJECT.includes(includeObject)) {
    const why = `includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw badRequest(`Unable to convert to Table as requested: ${why}`);
  }
  const printer = printerOf(resource);
  const row = ({ object }: Version): object => ({
    cells: printer.row((resource.custom ? undefined : resource.conversion?.toStored(object)) ?? object, nowMs()),
    ...conditionsOf(printer.conditions?.(object) ?? []),
    ...(includeObject === 'None' ? {} : { object: includeObject === 'Object' ? object : partial(object) }),
  });
  const table = (metadata: object, rows: readonly object[], columns: unknown = printer.columns): object => {
    return { kind: 'Table', apiVersion: META_V1, metadata, columnDefinitions: columns, rows };
  };
  const single = (version: Version, columns?: unknown): object =>
    table({ resourceVersion: version.object.metadata.resourceVersion }, [row(version)], columns);
  let columns: unknown = printer.columns;
  const once = (): unknown => {
    const first = columns;
    columns = null;
    return first;
  };
  return {
    one: (version) => JSON.stringify(single(version)),
    list: (page) => JSON.stringify(table(listMeta(page), page.versions.map(row))),
    event: (event) => ({
      text: writeEvent(
        event,
        (version) => JSON.stringify(single(version, once())),
        // A bookmark's row is that of an empty object; its content is in the row's object.
        (bookmark) => single(new Version(bookmark as ApiObject, 0), once()),
      ),
    }),
  };
}

function conditionsOf(conditions: readonly object[]): object {
  return conditions.length === 0 ? {} : { conditions };
}

function partial({ metadata }: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: META_V1, metadata };
}

/** What a line with whole objects says. */
function decodedEvent(event: WatchEvent): object {
  switch (event.type) {
    case 'BOOKMARK':
      return event;
    case 'ERROR':
      return { type: event.type, object: event.status };
    default:
      return { type: event.type, object: event.version.object };
  }
}

function writeEvent(
  event: WatchEvent,
  write: (version: Version) => string,
  mark: (bookmark: object) => object = (object) => object,
): string {
  switch (event.type) {
    case 'BOOKMARK':
      return `{"type":"BOOKMARK","object":${JSON.stringify(mark(event.object))}}\n`;
    case 'ERROR':
      return `{"type":"ERROR","object":${JSON.stringify(event.status)}}\n`;
    default:
      return `{"type":"${event.type}","object":${write(event.version)}}\n`;
  }
}
