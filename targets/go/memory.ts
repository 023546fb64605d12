/**
 * Memory limit, in MiB, of a trial's process with a compiled program: the program's own memory, its code, and the rest of the trial. On a
 * busy machine code is compiled, and garbage collected, later: Karpenter's trials took up to 1.9 GiB there. No verdict may depend on that.
 * Cluster Autoscaler 1.34 takes 3.2 GiB for a moment at its start, while two functions of 2 MB each are compiled.
 */
export const COMPILED_MEMORY_MIB = 4_096;
