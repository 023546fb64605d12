/** The part of the WebAssembly API that the host uses: Node's own types lack it. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  class Memory {
    private constructor();
    readonly buffer: ArrayBuffer;
    /** @returns the previous size, in pages of 64 KiB. @throws RangeError beyond the memory's maximum */
    grow(pages: number): number;
  }
  class Global {
    private constructor();
    value: number | bigint;
  }
}
