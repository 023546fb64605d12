import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { blindnessOf } from './hidden.ts';

const armed = (): HistoryBuilder => new HistoryBuilder().act().at(10).arm('f');
const struck = (operation: string): HistoryBuilder => armed().request(1, operation).fire('f', 1);
const lagging = (): HistoryBuilder => {
  const builder = new HistoryBuilder()
    .act()
    .at(10)
    .arm('f', 'must-fire', { params: { lagMs: 100 } });
  return builder.request(1, 'watch pods').answer(1, 'ok').at(20).fire('f', 1);
};
const paused = (): HistoryBuilder => new HistoryBuilder().act().at(10).arm('f', 'must-fire', { fault: 'pause' }).fire('f');
const killed = (provoked = true): HistoryBuilder =>
  new HistoryBuilder().act().at(10).add({ type: 'target.exit', incarnation: 1, provoked, reason: 'killed' });

for (const { what, history, blind } of [
  {
    what: 'a watch fails, and nothing is read again',
    history: struck('watch pods').answer(1, 'fail'),
    blind: [{ fromMs: 10, toMs: 10 }],
  },
  {
    what: 'a watch fails, and is tried again much later',
    history: struck('watch pods').answer(1, 'fail').at(60_011).request(2, 'watch pods'),
    blind: [{ fromMs: 10, toMs: 10 }],
  },
  {
    what: 'a watch fails, and is tried again',
    history: struck('watch pods').answer(1, 'fail').at(700).request(2, 'list nodes').at(900).request(3, 'list pods'),
    blind: [{ fromMs: 10, toMs: 900 }],
  },
  { what: 'a watch hangs', history: struck('watch pods').at(200).answer(1, 'info').at(300).heal('f'), blind: [{ fromMs: 10, toMs: 200 }] },
  { what: 'a list hangs until the heal', history: struck('list pods').at(300).heal('f'), blind: [{ fromMs: 10, toMs: 300 }] },
  { what: 'a list hangs, and nothing heals it', history: struck('list pods'), blind: [{ fromMs: 10, toMs: undefined }] },
  { what: 'a list is late', history: struck('list pods').at(5_010).answer(1, 'ok'), blind: [{ fromMs: 10, toMs: 5_010 }] },
  { what: 'a list is rewritten', history: struck('list pods').at(20).answer(1, 'ok'), blind: [] },
  { what: 'a watch is rewritten', history: struck('watch pods').at(5_010).answer(1, 'ok'), blind: [] },
  { what: 'a write fails', history: struck('create events').answer(1, 'fail'), blind: [] },
  { what: 'a request to EC2 fails', history: struck('ec2:CreateFleet').answer(1, 'fail'), blind: [] },
  { what: 'the world is struck', history: armed().fire('f').at(300).heal('f'), blind: [] },
  { what: 'a list fails without a fault', history: armed().request(1, 'list pods').answer(1, 'fail'), blind: [] },
  { what: 'a watch lags', history: lagging().at(300).heal('f'), blind: [{ fromMs: 20, toMs: 120 }] },
  { what: 'a watch lags until the heal', history: lagging().at(50).heal('f'), blind: [{ fromMs: 20, toMs: 50 }] },
  { what: 'the target is paused', history: paused().at(300).heal('f'), blind: [{ fromMs: 10, toMs: 300 }] },
  { what: 'the target is killed', history: killed(), blind: [{ fromMs: 10, toMs: 10 }] },
  {
    what: 'the target is killed and started again',
    history: killed().at(50).add({ type: 'target.start', incarnation: 2 }).at(90).add({ type: 'target.ready', incarnation: 2 }),
    blind: [{ fromMs: 10, toMs: 90 }],
  },
  { what: 'the target exits by itself', history: killed(false), blind: [] },
]) {
  test(`whether the target is blind: ${what}`, () => {
    expect(blindnessOf(createView(history.events))).toEqual(blind);
  });
}

test('a fault whose firings are no longer recorded blinds until its heal', () => {
  const often = armed();
  for (let span = 1; span <= 200; span += 1) often.request(span, 'list pods').fire('f', span).answer(span, 'fail');
  expect(blindnessOf(createView(often.at(300).heal('f').events)).at(-1)).toEqual({ fromMs: 10, toMs: 300 });
});

test('so does one that kept the target from reading only after that, until this is read again', () => {
  const often = armed();
  for (let span = 1; span <= 200; span += 1) often.request(span, 'create events').fire('f', span).answer(span, 'fail');
  expect(blindnessOf(createView(often.at(300).heal('f').at(900).request(202, 'watch pods').events))).toEqual([]);
  const failed = armed();
  for (let span = 1; span <= 200; span += 1) failed.request(span, 'create events').fire('f', span).answer(span, 'fail');
  const again = failed.at(200).request(201, 'watch pods').answer(201, 'fail').at(300).heal('f').at(900).request(202, 'watch pods');
  expect(blindnessOf(createView(again.events))).toEqual([{ fromMs: 10, toMs: 900 }]);
});
