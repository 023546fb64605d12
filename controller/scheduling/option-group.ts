import type { Resources } from '../../model/resources.ts';
import type { NodeType } from '../capacity/instance-types.ts';
import type { Option } from './types.ts';

/** Options of one type with the same room: what fits one of them fits all. */
export interface OptionGroup {
  readonly type: NodeType;
  readonly room: Resources;
  readonly options: readonly Option[];
}

/** In the order of the options. */
export function groupOptions(options: readonly Option[]): OptionGroup[] {
  const byType = Map.groupBy(options, ({ type }) => type);
  return [...byType].flatMap(([type, ofType]) =>
    [...Map.groupBy(ofType, ({ room }) => room)].map(([room, alike]) => ({ type, room, options: alike })),
  );
}
