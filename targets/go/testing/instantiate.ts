/** The part of WebAssembly that these tests use, because its types come with those of browsers. */
interface Engine {
  instantiate(
    wasm: Uint8Array<ArrayBuffer>,
    imports: object,
  ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
}

/** An exported global. */
export interface ExportedGlobal {
  value: number | bigint;
}

/** The exports of a new instance. */
export async function exportsOf(wasm: Uint8Array<ArrayBuffer>, imports: object = {}): Promise<Readonly<Record<string, unknown>>> {
  const { WebAssembly: engine } = globalThis as unknown as { readonly WebAssembly: Engine };
  return (await engine.instantiate(wasm, imports)).instance.exports;
}

/** @throws Error if it is not a global */
export function asGlobal(exported: unknown): ExportedGlobal {
  if (typeof exported === 'object' && exported !== null && 'value' in exported) return exported as ExportedGlobal;
  throw new Error('it is not a global');
}
