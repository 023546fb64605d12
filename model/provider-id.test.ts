import { expect, test } from '@playwright/test';
import { formatProviderId, parseProviderId } from './provider-id.ts';

test('a provider id parses back to its instance', () => {
  const text = formatProviderId({ zone: 'us-east-1a', id: 'i-0123456789abcdef0' });
  expect(text).toBe('aws:///us-east-1a/i-0123456789abcdef0');
  expect(parseProviderId(text)).toBe('i-0123456789abcdef0');
});

for (const other of [
  undefined,
  '',
  'i-0123',
  'aws:///us-east-1a/',
  'aws:////i-0123',
  'aws:///us-east-1a/i-',
  'aws:///us-east-1a/i-xyz',
  'aws:///us-east-1a/i-0123/more',
  'aws://us-east-1a/i-0123',
  'gce:///us-east-1a/i-0123',
  'aws:///us-east-1a/i-0123\n',
]) {
  test(`${JSON.stringify(other)} is not a provider id`, () => {
    expect(parseProviderId(other)).toBeUndefined();
  });
}
