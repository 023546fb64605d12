import { badRequest } from './status.ts';

/** One term of a field selector. */
interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

const TERM = /^([^=!]+)(==|=|!=)(.*)$/;

/**
 * Reads `spec.nodeName=n1,status.phase!=Running`. Values are not unescaped.
 * @param supported the fields that the resource can be selected by
 * @param refuse the resource's message for an unsupported field
 * @throws StatusError 400 with the API server's message
 */
export function parseFieldSelector(
  text: string,
  supported: readonly string[],
  refuse: (field: string) => string = (field) => `field label not supported: ${field}`,
): FieldTerm[] {
  const parts = text.split(',').filter((part) => part !== '');
  return parts.map((part) => {
    const match = TERM.exec(part);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field = '', sign = '', value = ''] = match;
    if (!supported.includes(field)) throw badRequest(refuse(field));
    return { field, operator: sign === '!=' ? '!=' : '=', value };
  });
}

/** @param fieldOf the value of a field of the object; absent counts as empty */
export function matchesFields(terms: readonly FieldTerm[], fieldOf: (field: string) => string | undefined): boolean {
  return terms.every(({ field, operator, value }) => ((fieldOf(field) ?? '') === value) === (operator === '='));
}
