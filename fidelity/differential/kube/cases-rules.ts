import type { ApiCase, Step } from './case.ts';

/** CEL rules of custom resources: the objects and definitions that they refuse, and the messages. */

type Schema = Readonly<Record<string, unknown>>;
type Rule = Readonly<Record<string, unknown>>;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'rules.example.com';
const API_VERSION = `${GROUP}/v1`;
const RULED = `/apis/${API_VERSION}/namespaces/default/ruleds`;

const text: Schema = { type: 'string', maxLength: 20 };
const whole: Schema = { type: 'integer' };
const ruled = (schema: Schema, ...rules: readonly (string | Rule)[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: 'object', properties });
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', maxItems: 5, items, ...more });
const map = (values: Schema): Schema => ({ type: 'object', maxProperties: 5, additionalProperties: values });
const keyed = (items: Schema): Schema => list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] });
const pair = object({ low: whole, high: whole });

/** A field of the spec with rules, and values to try. */
const FIELDS: Readonly<Record<string, readonly [Schema, ...unknown[]]>> = {
  order: [ruled(pair, { rule: 'self.low <= self.high', message: 'low above high' }), { low: 1, high: 2 }, { low: 3, high: 2 }, { low: 3 }],
  nomessage: [ruled(whole, 'self > 3'), 4, 3],
  text: [ruled(text, { rule: "self.startsWith('a') && self.endsWith('z')", message: ' spaced ' }), 'abz', 'abc'],
  fraction: [ruled({ type: 'number' }, 'self < 0.5', 'self != 0.25'), 0.4, 0.5, 0.25, 1],
  flag: [ruled({ type: 'boolean' }, 'self'), true, false],
  reasonforbidden: [ruled(whole, { rule: 'self != 1', reason: 'FieldValueForbidden', message: 'no' }), 1],
  reasonrequired: [ruled(pair, { rule: 'has(self.low)', reason: 'FieldValueRequired', message: 'low is needed', fieldPath: '.low' }), {}],
  reasonduplicate: [ruled(pair, { rule: 'self.low != self.high', reason: 'FieldValueDuplicate' }), { low: 1, high: 1 }],
  fieldpath: [
    ruled(object({ 'a-b': pair }), { rule: 'self.a__dash__b.low == 1', fieldPath: "['a-b'].low", message: 'no' }),
    { 'a-b': { low: 2 } },
  ],
  expression: [ruled(whole, { rule: 'self < 5', message: 'plain', messageExpression: "self > 6 ? 'far above 4' : 'above 4'" }), 7],
  brokenexpression: [ruled(pair, { rule: 'self.low < 5', message: 'plain', messageExpression: "self.high > 1 ? 'a' : 'b'" }), { low: 7 }],
  formatted: [
    ruled(pair, { rule: 'self.low < 5', messageExpression: "'%d and %s'.format([self.low, string(self.high)])" }),
    { low: 7, high: 8 },
  ],
  named: [
    ruled(
      object({ 'a.b': whole, namespace: whole, 'x/y': whole, a__b: whole }),
      'self.a__dot__b + self.__namespace__ + self.x__slash__y + self.a__underscores__b == 4',
    ),
    { 'a.b': 1, namespace: 1, 'x/y': 1, a__b: 1 },
    { 'a.b': 2, namespace: 1, 'x/y': 1, a__b: 1 },
  ],
  either: [ruled({ 'x-kubernetes-int-or-string': true }, "type(self) == string ? self.endsWith('%') : self < 100"), 5, 500, '5%', '5'],
  items: [list(ruled(whole, 'self % 2 == 0')), [2, 4], [2, 3]],
  allitems: [ruled(list(whole), 'self.all(x, x > 0)', 'self.exists_one(x, x == 5)'), [5, 1], [0, 5], [5, 5]],
  values: [map(ruled(whole, 'self > 0')), { a: 1 }, { 'b.c/d': 0 }],
  keys: [ruled(map(text), "self.all(k, k.startsWith('x') && self[k] != '')"), { xa: 'b' }, { a: 'b' }, { xa: '' }],
  membership: [ruled(map(text), "'a' in self && self['a'] in ['b', 'c']"), { a: 'b' }, { b: 'a' }, { a: 'd' }],
  missingkey: [ruled(map(text), "self['a'] == 'b'"), {}],
  index: [ruled(list(whole), 'self[1] > 0'), [1]],
  division: [ruled(pair, 'self.low / self.high == 1'), { low: 3, high: 0 }],
  modulus: [ruled(pair, 'self.low % self.high == 1'), { low: 3, high: 0 }],
  conversion: [ruled(text, 'int(self) > 3'), '4', '3', 'x', ''],
  find: [ruled(text, "self.find('^[^/]+') == 'a'"), 'a/b', 'b/a', ''],
  findall: [ruled(text, "self.findAll('[0-9]').size() == 2", "self.findAll('[0-9]', 1) == ['1']"), '1a2', '1', '2a1'],
  matches: [ruled(text, "self.matches('(?i)^[[:alpha:]]+$')"), 'abC', 'ab1'],
  split: [ruled(text, "self.split('@')[0] in ['a', 'b']"), 'a@c', 'c@a', ''],
  replaced: [ruled(text, "self.replace('@', '-') == 'a-b-c' && self.replace('@', '-', 1) == 'a-b@c'"), 'a@b@c', 'a@b'],
  joined: [ruled(list(text), "self.join('-') == 'a-b'"), ['a', 'b'], ['a']],
  lower: [
    ruled(
      text,
      "self.lowerAscii() == 'abc' && self.upperAscii() == 'ABC' && self.trim() == self && self.substring(1, 2) == self.charAt(1)",
    ),
    'abc',
    'aBd',
  ],
  sorted: [
    ruled(list(whole), 'self.isSorted() && self.sum() < 10 && self.min() > 0 && self.max() < 7 && self.indexOf(3) == 1'),
    [1, 3],
    [3, 1],
    [1, 3, 6],
  ],
  emptymin: [ruled(list(whole), 'self.min() > 0'), []],
  filtered: [ruled(list(pair), 'self.filter(x, has(x.low)).map(x, x.low).sum() == 3'), [{ low: 1 }, { high: 1 }, { low: 2 }], [{ low: 1 }]],
  nested: [ruled(list(whole), 'self.all(x, self.filter(y, x == y).size() == 1)'), [1, 2], [1, 1]],
  hasindex: [ruled(list(pair), 'self.size() == 0 || has(self[0].low)'), [{ low: 1 }], [{ high: 1 }]],
  optional: [ruled(pair, 'self.?low.orValue(5) < 5', 'self.?high.hasValue()'), { low: 1, high: 1 }, { high: 1 }, { low: 1 }],
  optionalmap: [ruled(pair, 'self.?low.optMap(x, x + 1).orValue(0) == 2'), { low: 1 }, {}],
  quantity: [
    ruled(text, "isQuantity(self) && quantity(self).isLessThan(quantity('1Gi')) && quantity(self).add(quantity('1')).asInteger() > 5"),
    '10',
    '2Gi',
    'x',
    '1',
  ],
  span: [ruled({ type: 'string', format: 'duration' }, "self < duration('1m')", 'self.getSeconds() > 1'), '30s', '2m', '1s'],
  moment: [
    ruled({ type: 'string', format: 'date-time' }, "self > timestamp('2026-01-01T00:00:00Z') && self.getFullYear() == 2026"),
    '2026-02-01T00:00:00Z',
    '2025-01-01T00:00:00Z',
  ],
  bytes: [ruled({ type: 'string', format: 'byte', maxLength: 20 }, "self == b'abc' && size(self) == 3"), 'YWJj', 'YWJk'],
  url: [ruled(text, "isURL(self) && url(self).getScheme() == 'https' && url(self).getHost() == 'a:1'"), 'https://a:1/b', 'http://a:1', 'a'],
  address: [ruled(text, "isIP(self) && ip(self).family() == 4 && cidr('10.0.0.0/8').containsIP(self)"), '10.1.2.3', '11.1.2.3', '::1', 'x'],
  sets: [
    ruled(list(text), "sets.contains(['a', 'b'], self) && !sets.intersects(self, ['c']) && sets.equivalent(self, self)"),
    ['a'],
    ['c'],
  ],
  label: [ruled(text, '!format.dns1123Label().validate(self).hasValue()'), 'abc', 'A'],
  nullable: [
    ruled(object({ one: { type: 'string', nullable: true, maxLength: 5 } }), "!has(self.one) || self.one != 'x'"),
    { one: 'y' },
    { one: 'x' },
    { one: null },
  ],
  ternary: [ruled(pair, 'has(self.low) ? self.low > 1 : has(self.high)'), { low: 2 }, { high: 0 }, { low: 1 }],
  shortcircuit: [ruled(pair, 'self.high == 1 || self.low == 1'), { low: 1 }, { high: 1 }, { low: 2 }],
  sameset: [
    ruled(
      object({ a: list(text, { 'x-kubernetes-list-type': 'set' }), b: list(text, { 'x-kubernetes-list-type': 'set' }) }),
      'self.a == self.b',
    ),
    { a: ['x', 'y'], b: ['y', 'x'] },
    { a: ['x'], b: ['y'] },
  ],
  day: [ruled({ type: 'string', format: 'date' }, "self > timestamp('2026-01-01T00:00:00Z')"), '2026-02-01', '2025-02-01'],
  unicode: [ruled(text, 'self.size() == 3 && size(self) == 3'), 'äöü', 'ä'],
  within: [map(object({ low: ruled(whole, 'self > 0') })), { a: { low: 1 } }, { a: { low: 0 }, b: { low: 1 } }],
  samelist: [ruled(object({ a: list(whole), b: list(whole) }), 'self.a == self.b'), { a: [1, 2], b: [1, 2] }, { a: [1, 2], b: [2, 1] }],
  joinedlists: [
    ruled(object({ a: list(whole), b: list(whole) }), '(self.a + self.b).size() == 3'),
    { a: [1, 2], b: [1] },
    { a: [1], b: [1] },
  ],
  numbers: [
    ruled(object({ a: whole, b: { type: 'number' } }), 'double(self.a) < self.b && self.a <= self.b'),
    { a: 1, b: 1.5 },
    { a: 2, b: 1.5 },
  ],
  literals: [ruled(text, "self == 'has(x) int(y)' || self in ['a', \"int(\"] || self == r'\\d'"), 'has(x) int(y)', 'int(', '\\d', 'hAs(x)'],
  negated: [ruled(object({ no: { type: 'boolean' } }), '!has(self.no) || !self.no'), {}, { no: true }],
  indexed: [ruled(list(pair), 'self[0].low == 1 && self[0] == self[1]'), [{ low: 1 }, { low: 1 }], [{ low: 1 }, { low: 2 }], []],
  manykeys: [
    ruled(map(text), 'self.exists(k, k.matches("^a.*z$")) && self.size() < 3'),
    { abz: 'x' },
    { ab: 'x' },
    { az: '', bz: '', cz: '' },
  ],
  deep: [
    ruled(object({ a: object({ b: object({ c: text }) }) }), "!has(self.a.b.c) || self.a.b.c == 'x'"),
    { a: { b: { c: 'x' } } },
    { a: { b: { c: 'y' } } },
    { a: {} },
    {},
  ],
  embedded: [
    {
      ...ruled(object({}), "self.metadata.name.startsWith('a') && self.kind == 'ConfigMap'"),
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ab' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
  ],
};

/** Fields with transition rules: a value, and the next value. */
const TRANSITIONS: Readonly<Record<string, readonly [Schema, unknown, unknown]>> = {
  immutable: [ruled(whole, { rule: 'self == oldSelf', message: 'stays' }), 1, 2],
  immutableobject: [ruled(pair, { rule: 'self == oldSelf', message: 'stays' }), { low: 1 }, { low: 2 }],
  added: [ruled(pair, 'has(self.low) == has(oldSelf.low)'), {}, { low: 1 }],
  grows: [map(ruled(whole, 'self >= oldSelf')), { a: 2 }, { a: 1, b: 1 }],
  keyedlist: [
    keyed({ ...object({ key: text, size: ruled(whole, 'self >= oldSelf') }), required: ['key'] }),
    [
      { key: 'a', size: 2 },
      { key: 'b', size: 2 },
    ],
    [
      { key: 'b', size: 1 },
      { key: 'c', size: 1 },
    ],
  ],
  reordered: [ruled(list(text, { 'x-kubernetes-list-type': 'set' }), 'self == oldSelf'), ['a', 'b'], ['b', 'a']],
  optionalold: [
    ruled(whole, { rule: 'oldSelf.hasValue() ? self == oldSelf.value() + 1 : self == 1', optionalOldSelf: true, message: 'one by one' }),
    1,
    3,
  ],
};

function definition(plural: string, kind: string, spec: Schema, more: readonly Rule[] = [], status: Schema = {}): Step {
  const properties = { spec, status: { type: 'object', ...status } };
  const openAPIV3Schema = { type: 'object', properties, ...(more.length === 0 ? {} : { 'x-kubernetes-validations': more }) };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } };
  return {
    method: 'POST',
    path: DEFINITIONS,
    body: {
      metadata: { name: `${plural}.${GROUP}` },
      spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions: [version] },
    },
  };
}

const FIELD_SCHEMAS = Object.fromEntries(
  [...Object.entries(FIELDS), ...Object.entries(TRANSITIONS)].map(([field, [schema]]) => [field, schema]),
);
const RULED_DEFINITION = definition(
  'ruleds',
  'Ruled',
  object(FIELD_SCHEMAS),
  [{ rule: "!self.metadata.name.endsWith('-bad')", message: 'a bad name' }],
  object({
    phase: ruled(
      text,
      { rule: "self != 'Lost'", message: 'never lost' },
      { rule: "oldSelf != 'Done' || self == 'Done'", message: 'done is done' },
    ),
  }),
);

function create(name: string, spec: unknown): Step {
  return { method: 'POST', path: RULED, body: { apiVersion: API_VERSION, kind: 'Ruled', metadata: { name }, spec }, patient: true };
}

function patch(path: string, body: unknown): Step {
  return { method: 'PATCH', path: `${RULED}/${path}`, contentType: 'application/merge-patch+json', body };
}

const SPEC_PATH = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';

function ratchet(method: 'POST' | 'PATCH', name: string, body: unknown): Step {
  const contentType = method === 'POST' ? 'application/json' : 'application/merge-patch+json';
  return { method, path: `/apis/${API_VERSION}/namespaces/default/ratchets${name}`, contentType, body, patient: true };
}

const OBJECTS: readonly ApiCase[] = Object.entries(FIELDS).flatMap(([field, [, ...values]]) =>
  values.map((value, index): ApiCase => {
    const id = `rule-${field}-${index}`;
    return { id, steps: [create(id, { [field]: value })] };
  }),
);

const UPDATES: readonly ApiCase[] = [
  ...Object.entries(TRANSITIONS).map(([field, [, before, after]]): ApiCase => {
    const id = `rule-${field}`;
    return {
      id,
      steps: [create(id, { [field]: before }), patch(id, { spec: { [field]: after } }), patch(id, { metadata: { labels: { a: 'b' } } })],
    };
  }),
  { id: 'rule-optionalold-first', steps: [create('rule-optionalold-first', { optionalold: 2 })] },
  { id: 'rule-root-bad', steps: [create('rule-root-bad', {})] },
  {
    id: 'rule-status',
    steps: [
      create('rule-status', {}),
      patch('rule-status/status', { status: { phase: 'Lost' } }),
      patch('rule-status/status', { status: { phase: 'Done' } }),
      patch('rule-status/status', { status: { phase: 'New' } }),
    ],
  },
  {
    id: 'rule-blocked',
    steps: [create('rule-blocked', { nomessage: 'x', text: 'b' }), create('rule-blocked', { text: 'a very long text that is longer' })],
  },
  {
    id: 'rule-not-blocked',
    steps: [create('rule-not-blocked', { nomessage: 1 })],
  },
  {
    id: 'rule-ratcheting',
    steps: [
      definition('ratchets', 'Ratchet', object({ size: whole, other: whole, parts: list(pair) })),
      ratchet('POST', '', {
        apiVersion: API_VERSION,
        kind: 'Ratchet',
        metadata: { name: 'r' },
        spec: { size: 1, other: 1, parts: [{ low: 1 }] },
      }),
      {
        method: 'PATCH',
        path: `${DEFINITIONS}/ratchets.${GROUP}`,
        contentType: 'application/json-patch+json',
        body: [
          { op: 'add', path: `${SPEC_PATH}/size/x-kubernetes-validations`, value: [{ rule: 'self > 5', message: 'too small' }] },
          { op: 'add', path: `${SPEC_PATH}/parts/items/x-kubernetes-validations`, value: [{ rule: 'has(self.high)', message: 'no high' }] },
        ],
      },
      // A changed definition takes effect a moment later.
      ratchet('POST', '', { apiVersion: API_VERSION, kind: 'Ratchet', metadata: { name: 's' }, spec: { size: 6, other: 1 } }),
      ratchet('PATCH', '/r', { spec: { other: 2 } }),
      ratchet('PATCH', '/r', { spec: { size: 2 } }),
      ratchet('PATCH', '/r', { spec: { parts: [{ low: 1 }, { high: 1 }] } }),
    ],
  },
];

const BROKEN_RULES: Readonly<Record<string, Schema>> = {
  'undefined-field': ruled(pair, 'self.lwo > 1'),
  'undefined-has': ruled(pair, 'has(self.lwo)'),
  'undefined-nested': ruled(list(pair), 'self.all(x, x.lwo > 1)'),
  'undefined-variable': ruled(pair, 'slef.low > 1'),
  'undefined-macro': ruled(pair, 'cel.bind(x, self.low, x > 1)'),
  'undefined-function': ruled(text, 'self.frobnicate() > 1'),
  'undefined-global': ruled(text, 'frobnicate(self) > 1'),
  'wrong-operator': ruled(pair, "self.low == 'x'"),
  'wrong-addition': ruled(pair, "self.low + 'x' == 'x'"),
  'wrong-argument': ruled(text, 'self.startsWith(1)'),
  'wrong-member': ruled(text, '1 in [self]'),
  'wrong-receiver': ruled(whole, "self.startsWith('a')"),
  'not-a-bool': ruled(pair, 'self.low'),
  logical: ruled(pair, 'self.low && true'),
  negation: ruled(pair, '!self.low'),
  index: ruled(list(text), "self['a'] == 'b'"),
  arguments: ruled(text, "self.startsWith('a', 'b')"),
  'not-a-field': ruled(text, 'self.x == 1'),
  'not-a-range': ruled(whole, 'self.all(x, true)'),
  'ternary-types': ruled(pair, "(has(self.low) ? 1 : 'a') == 1"),
  'number-types': ruled({ type: 'number' }, 'self + 1 > 2'),
  syntax: ruled(pair, 'self.low >'),
  'syntax-bracket': ruled(pair, '(self.low > 1'),
  pattern: ruled(text, "self.matches('(a')"),
  'no-rule': ruled(text, { message: 'x' }),
  'line-break': ruled(text, "self\n== 'a'"),
  'message-blank': ruled(text, { rule: "self == 'a'", message: ' ' }),
  'message-lines': ruled(text, { rule: "self == 'a'", message: 'a\nb' }),
  reason: ruled(text, { rule: "self == 'a'", reason: 'FieldValueWrong' }),
  'field-path': ruled(pair, { rule: 'self.low == 1', fieldPath: '.x' }),
  'field-path-index': ruled(pair, { rule: 'self.low == 1', fieldPath: 'low' }),
  'message-expression': ruled(pair, { rule: 'self.low == 1', messageExpression: 'self.low' }),
  'message-expression-broken': ruled(pair, { rule: 'self.low == 1', messageExpression: "'a' + self.x" }),
  'old-in-list': list(ruled(whole, 'self == oldSelf')),
  'old-not-used': ruled(whole, { rule: 'self == 1', optionalOldSelf: true }),
  'all-of': { ...whole, allOf: [ruled({}, { rule: 'self > 1', message: 'from allOf' })] },
  'second-line': ruled(pair, { rule: 'self.low > 1 &&\n  self.lwo > 1', message: 'x' }),
};

const REFUSED: readonly ApiCase[] = Object.entries(BROKEN_RULES).map(([name, schema]) => {
  const kind = `Broken${name.replaceAll('-', '')}`;
  return { id: `rule-broken-${name}`, steps: [definition(`${kind.toLowerCase()}s`, kind, object({ x: schema }))] };
});

/** Definitions whose root rules use fields that they can't access. */
const BROKEN_ROOTS: Readonly<Record<string, string>> = {
  labels: "self.metadata.labels['a'] == 'b'",
  unknown: 'self.status.phase == self.spec.phase',
};

const REFUSED_ROOTS: readonly ApiCase[] = Object.entries(BROKEN_ROOTS).map(([name, rule]) => {
  const step = definition(`root${name}s`, `Root${name}`, object({ x: text }), [{ rule }], object({ phase: text }));
  return { id: `rule-root-${name}`, steps: [step] };
});

export const RULE_CASES: readonly ApiCase[] = [
  { id: 'rule-definition', steps: [RULED_DEFINITION, { method: 'GET', path: RULED, look: ['kind'], patient: true }] },
  ...OBJECTS,
  ...UPDATES,
  ...REFUSED,
  ...REFUSED_ROOTS,
];
