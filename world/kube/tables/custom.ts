import type { PrinterColumn, Resource } from '../resource.ts';
import { NAME } from './columns.ts';
import type { Cell, Printer } from './columns.ts';
import { compileJsonPath } from './json-path.ts';
import { ageOf } from './read.ts';

const AGE_COLUMN: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Custom resources by the columns of their definition, as in `apiextensions-apiserver/pkg/registry/customresource/tableconvertor`. */
export function customPrinter({ columns = [AGE_COLUMN] }: Resource): Printer {
  const readers = columns.map(({ jsonPath, type }) => ({ find: compileJsonPath(jsonPath), type }));
  return {
    columns: [
      NAME,
      ...columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({ name, type, format, description, priority })),
    ],
    row: (object, nowMs) => [object.metadata.name ?? '', ...readers.map(({ find, type }) => cellOf(find(object)[0], type, nowMs))],
  };
}

/** A value of another type than its column is omitted. */
function cellOf(value: unknown, type: string, nowMs: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value !== 'string' ? null : Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, nowMs);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}
