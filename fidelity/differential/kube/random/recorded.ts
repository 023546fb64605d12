/** The answers of a real API server, in the package. */
export const RECORDING = 'fixtures/api-server-random.jsonl.gz';
