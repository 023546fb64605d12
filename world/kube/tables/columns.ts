import type { ApiObject } from '../resource.ts';

/** metav1.TableColumnDefinition. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** How the objects of a resource are shown in a table. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell a column. */
  row(object: ApiObject, nowMs: number): Cell[];
  /** What a row says of its object besides (metav1.TableRowCondition). */
  conditions?(object: ApiObject): readonly object[];
}

/** The real descriptions are those of the API documentation; clients don't show them, and here they are left out. */
export function column(name: string, type = 'string', priority = 0): Column {
  return { name, type, format: '', description: '', priority };
}

export const NAME: Column = { ...column('Name'), format: 'name' };
export const AGE = column('Age');

/** Columns that only `-o wide` shows. */
export function wide(...names: readonly string[]): Column[] {
  return names.map((name) => column(name, 'string', 1));
}
