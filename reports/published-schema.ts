import { z } from 'zod';
import { describeFields } from './report-fields.ts';

/** The JSON Schema that is published for a format, as the text of its file. */
export function formatPublishedSchema(format: z.ZodType, title: string): string {
  const schema = z.toJSONSchema(format, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      // Readers of a version must accept fields that a later minor version adds.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  describeFields(schema as Parameters<typeof describeFields>[0]);
  const { $schema, ...rest } = schema;
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}
