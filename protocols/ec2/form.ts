/** Parameters of the query protocol as a tree: `Filter.1.Name=x` is the value of Filter, 1, Name. */
export interface Parameter {
  readonly value?: string;
  readonly children: ReadonlyMap<string, Parameter>;
}

interface Growing {
  value?: string;
  children: Map<string, Growing>;
}

/** Reads `application/x-www-form-urlencoded` text. If a name occurs twice, its last value counts. */
export function parseForm(text: string): Parameter {
  const root: Growing = { children: new Map() };
  for (const [name, value] of new URLSearchParams(text)) {
    let parameter = root;
    for (const part of name.split('.')) {
      let child = parameter.children.get(part);
      if (child === undefined) {
        child = { children: new Map() };
        parameter.children.set(part, child);
      }
      parameter = child;
    }
    parameter.value = value;
  }
  return root;
}
