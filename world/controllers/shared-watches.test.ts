import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import type { CountingPort } from '../ports.ts';
import { addNode, withParts } from '../testing/world-parts.ts';
import { shareWatches } from './shared-watches.ts';

test('watchers of a resource share one watch, late ones get the existing objects, and the last one closes it', async () => {
  await withParts(
    () => [],
    async ({ port, clock }) => {
      const open: AbortSignal[] = [];
      const counting: CountingPort = {
        ...port,
        watch: (resource, signal, onChange) => {
          open.push(signal);
          port.watch(resource, signal, onChange);
        },
      };
      const shared = shareWatches(counting);
      const [first, second] = [new AbortController(), new AbortController()];
      const seen: string[] = [];
      const note = (who: string) => {
        return ({ type, object }: { type: string; object: Node }) => seen.push(`${who} ${type} ${object.metadata.name}`);
      };
      shared.watch<Node>('nodes', first.signal, note('a'));
      await addNode(port, 'n1');
      await clock.sleep(100);
      shared.watch<Node>('nodes', second.signal, note('b'));
      await port.delete({ resource: 'nodes', name: 'n1' });
      await clock.sleep(100);
      expect(seen).toEqual(['a ADDED n1', 'a MODIFIED n1', 'b ADDED n1', 'a DELETED n1', 'b DELETED n1']);
      expect(open).toHaveLength(1);
      first.abort();
      expect(open[0]?.aborted).toBe(false);
      await addNode(port, 'n2');
      await clock.sleep(100);
      expect(seen.at(-2)).toBe('b ADDED n2');
      second.abort();
      expect(open[0]?.aborted).toBe(true);
    },
  );
});
