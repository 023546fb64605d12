/** The recorded answers of a real API server, in the package. */
export const RECORDING = 'fixtures/recordings/api-server-random.jsonl.gz';
