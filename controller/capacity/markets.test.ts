import { expect, test } from '@playwright/test';
import type { CapacityType, Offering } from '../../model/catalogue.ts';
import type { ClockScope } from '../../runtime/clock.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { PROBE_PERIOD_MS } from '../constants.ts';
import { createMarkets } from './markets.ts';
import type { Markets } from './markets.ts';

const MEMORY_MS = 180_000;
const EIGHT = ['c5', 'c6i', 'c7i', 'm5', 'm6i', 'm7i', 'r5', 'r6i'];
const VCPUS: Readonly<Record<string, number>> = { large: 2, xlarge: 4, '2xlarge': 8, '4xlarge': 16, '12xlarge': 48 };

function offering(instanceType: string, zone = 'a', capacityType: CapacityType = 'spot'): Offering {
  return { instanceType, zone, capacityType };
}

function offerings(families: readonly string[], size = 'large', zone = 'a'): Offering[] {
  return families.map((family) => offering(`${family}.${size}`, zone));
}

async function withMarkets(work: (markets: Markets, clock: ClockScope) => void | Promise<void>): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 1_000_000, random: createRandom(1) });
  const clock = timeline.scope('test');
  const typeOf = (name: string) => {
    const [family = '', size = ''] = name.split('.');
    const architecture = /^[cmr]\d+g/.test(family) ? ('arm64' as const) : ('x86_64' as const);
    return { architecture, isExotic: family.startsWith('g'), capacity: { cpu: VCPUS[size] ?? 0 } };
  };
  const markets = createMarkets(clock, typeOf, MEMORY_MS);
  await timeline.run((async () => work(markets, clock))());
}

test('after eight families were refused in a zone, all others of their capacity type are doubtful there', async () => {
  await withMarkets((markets) => {
    markets.refused(offerings(EIGHT.slice(1)));
    expect(markets.isDoubtful(offering('r7a.large'))).toBe(false);
    expect(markets.probeInMs()).toBe(0);
    markets.refused(offerings(EIGHT.slice(0, 1)));
    expect(markets.isDoubtful(offering('r7a.large'))).toBe(true);
    expect(markets.isDoubtful(offering('r7a.large', 'b'))).toBe(false);
    expect(markets.isDoubtful(offering('r7a.large', 'a', 'on-demand'))).toBe(false);
    expect(markets.isDoubtful(offering('r7g.large'))).toBe(false);
    // Nobody falls back to accelerators.
    expect(markets.isDoubtful(offering('g5.xlarge'))).toBe(true);
    expect(markets.probeInMs()).toBe(PROBE_PERIOD_MS);
  });
});

test('accelerators say nothing about other types, and large types nothing about much smaller ones', async () => {
  await withMarkets((markets) => {
    markets.refused(offerings(['g3', 'g4dn', 'g4ad', 'g5', 'g6', 'g6e', 'gr6', 'g7e'], 'xlarge'));
    expect(markets.isDoubtful(offering('g5.2xlarge'))).toBe(true);
    markets.refused(offerings(EIGHT, '12xlarge'));
    expect(['xlarge', '2xlarge', '4xlarge', '12xlarge'].map((size) => markets.isDoubtful(offering(`r7a.${size}`)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

test('a family is doubtful everywhere after four of its types in two zones', async () => {
  await withMarkets((markets) => {
    markets.refused(['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => offering(`m5.${size}`)));
    expect(markets.isDoubtful(offering('m5.12xlarge', 'c'))).toBe(false);
    markets.refused([offering('m5.large', 'b')]);
    expect(markets.isDoubtful(offering('m5.12xlarge', 'c'))).toBe(true);
    expect(markets.isDoubtful(offering('m5n.large'))).toBe(false);
  });
});

test('a family stays doubtful when other types are launched where some of its own were refused', async () => {
  await withMarkets((markets) => {
    for (const zone of ['a', 'b']) markets.refused(['large', 'xlarge', '2xlarge', '4xlarge'].map((size) => offering(`m5.${size}`, zone)));
    const isDoubtful = (): boolean => markets.isDoubtful(offering('m5.12xlarge', 'c'));
    expect(isDoubtful()).toBe(true);
    for (const zone of ['a', 'b']) markets.launched(offering('c5.large', zone));
    expect(isDoubtful()).toBe(true);
  });
});

test('a doubt ends when an instance is launched, or after a while', async () => {
  await withMarkets(async (markets, clock) => {
    markets.refused(offerings(EIGHT));
    markets.launched(offering('r7a.large'));
    expect(markets.isDoubtful(offering('c5.large'))).toBe(false);
    markets.refused(offerings(EIGHT));
    const both = (): boolean[] => ['c5.large', 'g5.xlarge'].map((type) => markets.isDoubtful(offering(type)));
    await clock.sleep(MEMORY_MS - 1);
    expect(both()).toEqual([true, true]);
    await clock.sleep(1);
    expect(both()).toEqual([false, false]);
    expect(markets.refusedAtMs(offering('c5.large'))).toBe(clock.monotonicMs() - MEMORY_MS);
  });
});

test('a clock that is set ahead ends no doubt early', async () => {
  await withMarkets((markets, clock) => {
    markets.refused(offerings(EIGHT));
    clock.skew(2 * MEMORY_MS);
    expect(markets.isDoubtful(offering('r7a.large'))).toBe(true);
    expect(markets.probeInMs()).toBe(PROBE_PERIOD_MS);
  });
});

test('pods that wait for a few families keep only these in doubt', async () => {
  await withMarkets(async (markets, clock) => {
    markets.refused(offerings(EIGHT));
    for (let probes = 0; probes < 20; probes += 1) {
      await clock.sleep(MEMORY_MS / 10);
      markets.refused(offerings(EIGHT));
    }
    expect(markets.isDoubtful(offering('c5.large'))).toBe(true);
    const other = offering('r7a.large');
    expect(markets.isDoubtful(other)).toBe(false);
    // One refusal is enough to learn that others have no capacity either.
    markets.refused([offering('c6a.large')]);
    expect(markets.isDoubtful(other)).toBe(true);
    expect(markets.probeInMs()).toBe(PROBE_PERIOD_MS);
  });
});
