import type { ApiObject } from '../resource.ts';
import { ageOf } from './read.ts';

/** metav1.TableColumnDefinition. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** Shows the objects of a resource in a table. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell per column. */
  row(object: ApiObject, nowMs: number): Cell[];
  /** Conditions of a row (metav1.TableRowCondition). */
  conditions?(object: ApiObject): readonly object[];
}

/** A column without a description: clients don't show the real ones. */
export function column(name: string, type = 'string', priority = 0): Column {
  return { name, type, format: '', description: '', priority };
}

export const NAME: Column = { ...column('Name'), format: 'name' };
export const AGE = column('Age');

/** Columns that only `-o wide` shows. */
export function wide(...names: readonly string[]): Column[] {
  return names.map((name) => column(name, 'string', 1));
}

/** Columns of text. */
export function columns(...names: readonly string[]): Column[] {
  return names.map((name) => column(name));
}

/** A printer of columns between the name and the age. */
export function simple(before: readonly Column[], cells: (object: ApiObject) => Cell[], after: readonly Column[] = []): Printer {
  return {
    columns: [NAME, ...before, AGE, ...after],
    row: (object, nowMs) => {
      const all = cells(object);
      const age = ageOf(object.metadata.creationTimestamp, nowMs);
      return [object.metadata.name ?? '', ...all.slice(0, before.length), age, ...all.slice(before.length)];
    },
  };
}
