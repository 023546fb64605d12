import type { FieldType, ObjectType } from './types.ts';

/** `k8s` and a zero byte: the prefix of every body. */
export const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** The type of a JSON schema in a CustomResourceDefinition. */
export const MESSAGE_SCHEMA = 'apiextensions.v1.JSONSchemaProps';

/** The messages of `schemaOr` (JSONSchemaPropsOrArray, OrBool, OrStringArray): the numbers of a schema and of its other form. */
export const SCHEMA_FORMS = {
  schemas: { schema: 1, other: 2, type: MESSAGE_SCHEMA },
  bool: { schema: 2, other: 1, type: 'bool' },
  strings: { schema: 1, other: 2, type: 'string' },
} as const;

/** A message's fields by number, in ascending order. A nested map has the fields of a message that is inlined in JSON. */
export type Layout = Map<number, readonly [string, FieldType] | Layout>;

/** The layouts of types by name, each made once. */
export class Layouts {
  readonly #known = new Map<string, Layout>();

  of(name: string, type: ObjectType): Layout {
    let layout = this.#known.get(name);
    if (layout === undefined) {
      layout = layoutOf(type);
      this.#known.set(name, layout);
    }
    return layout;
  }
}

/** Whether an entry of a layout is a nested message. */
export function isNested(entry: readonly [string, FieldType] | Layout | undefined): entry is Layout {
  return entry instanceof Map;
}

function layoutOf({ fields }: ObjectType): Layout {
  const layout: Layout = new Map();
  for (const [name, field] of Object.entries(fields)) {
    if (field.wire === undefined) continue;
    const path = field.wire.split('.').map(Number);
    const number = path.pop() ?? 0;
    let into = layout;
    for (const step of path) {
      const next = into.get(step);
      const inlined: Layout = isNested(next) ? next : new Map<number, never>();
      into.set(step, inlined);
      into = inlined;
    }
    into.set(number, [name, field]);
  }
  return inOrder(layout);
}

function inOrder(layout: Layout): Layout {
  const entries = [...layout].sort(([a], [b]) => a - b);
  return new Map(entries.map(([number, entry]) => [number, isNested(entry) ? inOrder(entry) : entry]));
}
