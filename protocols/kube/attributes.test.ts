import { expect, test } from '@playwright/test';
import { attributesOf } from './attributes.ts';

for (const { selector, name } of [
  { selector: 'metadata.name=a', name: 'a' },
  { selector: 'spec.nodeName=x,metadata.name==a', name: 'a' },
  { selector: String.raw`spec.nodeName=x\,metadata.name=a`, name: '' },
  { selector: String.raw`spec.nodeName=x\,metadata.name\=a`, name: '' },
  { selector: String.raw`metadata.name=a\,b`, name: 'a,b' },
  { selector: 'metadata.name!=a', name: '' },
  { selector: 'metadata.name=a,b', name: '' },
  { selector: 'metadata.name=a%b', name: '' },
  { selector: 'metadata.name=..', name: '' },
]) {
  test(`a list with the field selector ${selector} is one of ${name === '' ? 'all objects' : `the object ${name}`}`, () => {
    const query = new URLSearchParams({ fieldSelector: selector });
    expect(attributesOf('GET', `/api/v1/pods?${query.toString()}`)).toMatchObject({ verb: 'list', resource: 'pods', name });
  });
}
