import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';

const params = z.strictObject({
  count: z.number().int().positive().optional().describe('templates, at most; by default all'),
  afterMs: z.number().int().nonnegative().default(0).describe('from when it was made, or from the arming where it was there already'),
});

/** Somebody deletes the target's launch templates, which it believes in. Legal: whoever cleans up an account does. */
export const launchTemplateGone = defineFault({
  name: 'launch-template-gone',
  summary: 'launch templates of the target are deleted by somebody else',
  params,
  legal: true,
  capabilities: () => ['templates.delete'],
  color: '#854d0e',
  describe: ({ count, afterMs }) =>
    `${count === undefined ? 'every launch template' : `${count} launch templates`} of the target ${count === 1 || count === undefined ? 'is' : 'are'} deleted by somebody else${afterMs === 0 ? '' : `, ${afterMs / 1000} s after it was made`}`,
  inject: ({ count, afterMs }, { ports, fired }) =>
    ports.templateFaults.deleteTemplates({ ...defined({ count }), afterMs, fired: (name) => fired(undefined, name) }),
});
