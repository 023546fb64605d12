/** The recorded answers of a LocalStack, in the package. */
export const RECORDING = 'fixtures/recordings/ec2-random.jsonl.gz';
