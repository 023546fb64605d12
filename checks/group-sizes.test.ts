import { expect, test } from '@playwright/test';
import { HistoryBuilder } from '../history/testing/history-builder.ts';
import { createView } from '../history/view.ts';
import { groupSizes } from './group-sizes.ts';

const GROUP = 'workers';
const RESIZE = 'autoscaling:SetDesiredCapacity';

/** A group that may have ten instances. It must be avoided for 300 after a failure, and an instance may be missing for 500. */
class GroupHistory extends HistoryBuilder {
  #desired = 0;

  constructor() {
    super();
    this.act();
    this.add({ type: 'bound', bound: { name: 'masked-offering', value: 300, unit: 'ms', formula: '300', reason: 'by hand', least: true } });
    this.add({ type: 'bound', bound: { name: 'instance-without-node', value: 500, unit: 'ms', formula: '500', reason: 'by hand' } });
    this.add({ type: 'group', group: GROUP, to: 'created', min: 0, max: 10, desired: 0 });
  }

  /** The target asks for a size. */
  resize(span: number, desired: number, incarnation = 1): this {
    this.#desired = desired;
    this.request(span, RESIZE, { incarnation, input: { AutoScalingGroupName: GROUP, DesiredCapacity: desired } });
    this.add({ type: 'group', group: GROUP, to: 'changed', min: 0, max: 10, desired, span });
    return this.effect(span, { kind: 'none' }).answer(span, 'ok');
  }

  activity(to: 'started' | 'successful' | 'failed', instance?: string): this {
    const of = instance === undefined ? { message: 'no capacity' } : { instance };
    return this.add({ type: 'group-activity', group: GROUP, activity: `a-${this.#desired}`, what: 'launch', to, ...of });
  }

  /** An instance on behalf of a request. */
  member(instance: string, span: number): this {
    return this.instance(instance, 'pending', { group: GROUP, span }).activity('started', instance);
  }

  codes(): string[] {
    return groupSizes.judge(createView(this.finish().events))?.findings.map(({ code }) => code) ?? [];
  }
}

/** At 100 it can't launch, at 150 that is taken back. */
function failed(): GroupHistory {
  return new GroupHistory().at(50).resize(1, 2).at(100).activity('failed').at(150).resize(2, 0);
}

const AGAIN = ['failing-group-asked-again'];

for (const { name, history, codes } of [
  { name: 'avoided until the bound', history: failed().at(400).resize(3, 2).at(410).resize(4, 0), codes: [] },
  { name: 'raised a moment too early', history: failed().at(399).resize(3, 2).at(410).resize(4, 0), codes: AGAIN },
  { name: 'raised by another incarnation', history: failed().at(200).resize(3, 2, 2).at(210).resize(4, 0, 2), codes: [] },
  {
    name: 'taken back for another reason',
    history: new GroupHistory().at(50).resize(1, 2).at(150).resize(2, 0).at(200).resize(3, 2).at(210).resize(4, 0),
    codes: [],
  },
  {
    name: 'that has launched since',
    history: new GroupHistory()
      .at(50)
      .resize(1, 2)
      .at(100)
      .activity('failed')
      .at(120)
      .member('i-1', 1)
      .at(150)
      .resize(2, 1)
      .at(200)
      .resize(3, 2),
    codes: [],
  },
]) {
  test(`a group that failed: ${name}`, () => {
    expect(history.codes()).toEqual(codes);
  });
}

for (const { name, history, codes } of [
  { name: 'is taken back in time', history: new GroupHistory().at(50).resize(1, 2).at(550).resize(2, 0), codes: [] },
  { name: 'is taken back too late', history: new GroupHistory().at(50).resize(1, 2).at(551).resize(2, 0), codes: ['unmet-size-kept'] },
  { name: 'is never taken back', history: new GroupHistory().at(50).resize(1, 2).at(600), codes: ['unmet-size-kept'] },
  {
    name: 'is reached in part',
    history: new GroupHistory().at(50).resize(1, 2).at(80).member('i-1', 1).at(600),
    codes: ['unmet-size-kept'],
  },
  {
    name: 'is reached',
    history: new GroupHistory().at(50).resize(1, 2).at(80).member('i-1', 1).at(90).member('i-2', 1).at(600),
    codes: [],
  },
  {
    name: 'is no longer reached, as an instance ended',
    history: new GroupHistory().at(50).resize(1, 1).at(80).member('i-1', 1).at(100).instance('i-1', 'shutting-down').at(700),
    codes: ['unmet-size-kept'],
  },
  {
    name: 'is kept although the group fails all the time',
    history: [...Array(9).keys()]
      .reduce(
        (history, round) =>
          history
            .at(100 * (round + 1))
            .activity('failed')
            .fire('shortage', 1),
        new GroupHistory().arm('shortage').at(50).resize(1, 2),
      )
      .at(950),
    codes: ['unmet-size-kept'],
  },
  {
    name: 'is kept while requests to take it back fail',
    history: new GroupHistory()
      .arm('refusal')
      .at(50)
      .resize(1, 2)
      .at(400)
      .request(2, RESIZE)
      .fire('refusal', 2)
      .answer(2, 'fail')
      .at(800)
      .resize(3, 0),
    codes: [],
  },
  {
    name: 'was set by somebody else',
    history: new GroupHistory().at(50).add({ type: 'group', group: GROUP, to: 'changed', min: 0, max: 10, desired: 2 }).at(900),
    codes: [],
  },
  {
    name: 'is the least that it may have',
    history: new GroupHistory()
      .at(50)
      .resize(1, 2)
      .at(60)
      .add({ type: 'group', group: GROUP, to: 'changed', min: 2, max: 10, desired: 2 })
      .at(900),
    codes: [],
  },
  {
    name: 'of a group that is deleted is owed nothing',
    history: new GroupHistory()
      .at(50)
      .resize(1, 2)
      .at(60)
      .add({ type: 'group', group: GROUP, to: 'deleted', min: 0, max: 0, desired: 0 })
      .at(900),
    codes: [],
  },
]) {
  test(`a size that a group can't reach ${name}`, () => {
    expect(history.codes()).toEqual(codes);
  });
}

/** Two nodes, of which one ends. */
function ended(span: number, operation: string): GroupHistory {
  const history = new GroupHistory().at(50).resize(1, 2);
  for (const id of ['1', '2']) history.member(`i-${id}`, 1).node(`node-${id}`, 'created', `i-${id}`).node(`node-${id}`, 'ready', `i-${id}`);
  history.at(200);
  if (operation === RESIZE) history.resize(span, 1);
  else {
    history.request(span, operation, { input: { InstanceId: 'i-1' } });
    history.add({ type: 'group', group: GROUP, to: 'changed', min: 0, max: 10, desired: 1, span });
  }
  return history.instance('i-1', 'shutting-down', { group: GROUP, span });
}

test('an instance that the target names may go', () => {
  expect(ended(7, 'autoscaling:TerminateInstanceInAutoScalingGroup').codes()).toEqual([]);
});

test('a lower size ends an instance that nobody chose', () => {
  expect(ended(7, RESIZE).codes()).toEqual(['member-taken']);
});

test('without groups there is nothing to judge', () => {
  expect(groupSizes.judge(createView(new HistoryBuilder().act().finish().events))).toBeUndefined();
});
