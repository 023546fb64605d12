/** The answers of a LocalStack, in the package. */
export const RECORDING = 'fixtures/ec2-random.jsonl.gz';
