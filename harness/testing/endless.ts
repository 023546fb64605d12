import { scenario } from '../scenario.ts';

/** Reaches one phase after the other, and never ends. */
export const endless = scenario({
  id: 'test/endless',
  title: 'never ends',
  async run(t) {
    for (;;) await t.pass('explain');
  },
});
