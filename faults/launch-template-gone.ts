import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  count: z.number().int().positive().optional().describe('at most this many templates; by default all'),
  afterMs: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('time after the template was created, or after the fault is armed if it exists already'),
});

/** Someone deletes the target's launch templates, which the target still expects. Legal: people clean up accounts. */
export const launchTemplateGone = defineFault({
  name: 'launch-template-gone',
  summary: "the target's launch templates are deleted by someone else",
  params,
  legal: true,
  capabilities: () => ['templates.delete'],
  color: '#854d0e',
  describe: ({ count, afterMs }) =>
    `${count === undefined ? 'every launch template' : `${count} launch templates`} of the target ${count === 1 || count === undefined ? 'is' : 'are'} deleted by someone else${afterMs === 0 ? '' : `, ${afterMs / 1000} s after it was created`}`,
  inject: ({ count, afterMs }, { ports, fired }) =>
    ports.templateFaults.deleteTemplates({ ...defined({ count }), afterMs, fired: (name) => fired(undefined, name) }),
});
