import { badRequest } from './status.ts';

/** One term of a field selector. */
interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** The first operator ends the field. */
const TERM = /^(.*?)(!=|==|=)(.*)$/s;
/** A character with its escape. */
const CHARACTER = /\\?./gsu;
const ESCAPED: readonly string[] = ['\\\\', '\\,', '\\='];

/**
 * Reads `spec.nodeName=n1,status.phase!=Running`. In values, a backslash escapes itself, commas and equals signs
 * (`apimachinery/pkg/fields/selector.go`).
 * @throws StatusError 400 with the API server's message
 */
export function parseFieldTerms(text: string): FieldTerm[] {
  const parts = splitTerms(text).filter((part) => part !== '');
  return parts.map((part) => {
    const match = TERM.exec(part);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field = '', sign = '', value = ''] = match;
    return { field, operator: sign === '!=' ? '!=' : '=', value: unescapeValue(value) };
  });
}

/**
 * The terms of a selector of a resource.
 * @param supported the fields that the resource can be selected by
 * @param refuse the resource's message for an unsupported field
 * @throws StatusError 400 with the API server's message
 */
export function parseFieldSelector(
  text: string,
  supported: readonly string[],
  refuse: (field: string) => string = (field) => `field label not supported: ${field}`,
): FieldTerm[] {
  const terms = parseFieldTerms(text);
  const unsupported = terms.find(({ field }) => !supported.includes(field));
  if (unsupported !== undefined) throw badRequest(refuse(unsupported.field));
  return terms;
}

/** The parts between commas, without escaped ones. */
function splitTerms(text: string): string[] {
  const terms = [''];
  for (const [character] of text.matchAll(CHARACTER)) {
    if (character === ',') terms.push('');
    else terms.push(`${terms.pop() ?? ''}${character}`);
  }
  // The API server reads the terms in this order.
  return terms.sort();
}

function unescapeValue(value: string): string {
  return value.replaceAll(CHARACTER, (character) => {
    if (character === ',' || character === '=')
      throw badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    if (!character.startsWith('\\')) return character;
    if (!ESCAPED.includes(character)) throw badRequest(`invalid field selector: invalid escape sequence: ${character}`);
    return character.slice(1);
  });
}

/** @param fieldOf the value of a field of the object; absent counts as empty */
export function matchesFields(terms: readonly FieldTerm[], fieldOf: (field: string) => string | undefined): boolean {
  return terms.every(({ field, operator, value }) => ((fieldOf(field) ?? '') === value) === (operator === '='));
}
