import { NormalizedSchema } from '@smithy/core/schema';
import type { SchemaRef } from '../ec2/reader.ts';

/** What an operation takes and answers. */
export interface OperationSchema {
  readonly input: SchemaRef;
  readonly output: SchemaRef;
}

/** The SDK's schema of an operation: `[9, namespace, name, traits, input, output]`. @param sdk the client's package */
export function operationOf(sdk: object, action: string): OperationSchema | undefined {
  const schema = (sdk as Readonly<Record<string, unknown>>)[`${action}$`];
  if (!Array.isArray(schema) || schema[0] !== OPERATION || schema[2] !== action) return undefined;
  return { input: schema[4] as SchemaRef, output: schema[5] as SchemaRef };
}

const OPERATION = 9;

/** Whether there are no members at all. */
export function isUnit(schema: SchemaRef): boolean {
  return NormalizedSchema.of(schema).isUnitSchema();
}
