/**
 * Memory limit, in MiB, of a trial's process with a compiled program: the program's own memory, its code, and the rest of the trial. On a
 * busy machine code is compiled, and garbage collected, later: Karpenter's trials took up to 1.9 GiB there. No verdict may depend on that.
 */
export const COMPILED_MEMORY_MIB = 3_072;
