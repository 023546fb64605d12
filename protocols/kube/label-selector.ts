import type { LabelSelector } from '../../model/kube.ts';
import { invalid } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { checkLabelValue, checkQualifiedName } from './names.ts';

/** One requirement of a label selector in its string form. */
interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A selector string that can't be parsed. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorSyntaxError';
  }
}

/** A token of a selector: a word, a sign, or the end. */
interface Token {
  readonly kind: 'word' | 'sign' | 'error' | 'end';
  readonly text: string;
}

const END: Token = { kind: 'end', text: '' };
const BLANK = /[ \t\r\n]/;
const SIGN = /[=!(),<>]/;
const SIGNS = [')', ',', '!', '==', '=', '>', '<', '!=', '('];
const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  in: 'In',
  notin: 'NotIn',
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

/** Longest selector, in characters. The real API server limits only the request line. */
export const SELECTOR_LENGTH_MAX = 65_536;

/**
 * Parses `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`, with the rules and messages of `k8s.io/apimachinery/pkg/labels`. Empty
 * selects everything.
 * @throws SelectorSyntaxError also for one longer than SELECTOR_LENGTH_MAX
 */
export function parseLabelSelector(text: string): LabelRequirement[] {
  if (text.length > SELECTOR_LENGTH_MAX) {
    throw new SelectorSyntaxError(`the selector has ${text.length} characters, at most ${SELECTOR_LENGTH_MAX} are allowed`);
  }
  return new SelectorParser(tokensOf(text)).parse();
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const start = at;
    if (BLANK.test(text.charAt(at))) {
      at += 1;
    } else if (SIGN.test(text.charAt(at))) {
      // The longest known sign. An unknown run ends after its first unknown prefix.
      while (at < text.length && SIGN.test(text.charAt(at)) && (at === start || SIGNS.includes(text.slice(start, at + 1)))) at += 1;
      const sign = text.slice(start, at);
      tokens.push(SIGNS.includes(sign) ? { kind: 'sign', text: sign } : { kind: 'error', text: `error expected: keyword found '${sign}'` });
    } else {
      while (at < text.length && !SIGN.test(text.charAt(at)) && !BLANK.test(text.charAt(at))) at += 1;
      tokens.push({ kind: 'word', text: text.slice(start, at) });
    }
  }
  return tokens;
}

class SelectorParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    while (this.#next.kind !== 'end') {
      if (!this.#beginsRequirement) throw found(this.#next, ", expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const after = this.#take();
      if (after.kind === 'end') break;
      if (!isSign(after, ',')) throw found(after, ", expected: ',' or 'end of string'");
      if (!this.#beginsRequirement) throw found(this.#next, ", expected: identifier after ','");
    }
    return requirements;
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  get #beginsRequirement(): boolean {
    return this.#next.kind === 'word' || isSign(this.#next, '!');
  }

  #take(): Token {
    const token = this.#next;
    this.#at += 1;
    return token;
  }

  #requirement(): LabelRequirement {
    const isAbsent = isSign(this.#next, '!');
    if (isAbsent) this.#take();
    const key = this.#take();
    if (key.kind !== 'word') throw unparsed(found(key, ', expected: identifier'));
    refuse(checkQualifiedName(key.text).length > 0 ? [invalid('<nil>', key.text, checkQualifiedName(key.text).join('; '))] : []);
    if (isAbsent) return { key: key.text, operator: 'DoesNotExist', values: [] };
    if (this.#next.kind === 'end' || isSign(this.#next, ',')) return { key: key.text, operator: 'Exists', values: [] };
    const sign = this.#take();
    const operator = Object.hasOwn(OPERATORS, sign.text) ? OPERATORS[sign.text] : undefined;
    if (operator === undefined) throw unparsed(found(sign, ', expected: in, notin, =, ==, !=, gt, lt'));
    const values = sign.kind === 'word' ? this.#set() : [this.#value()];
    refuse(validateValues(key.text, operator, values));
    return { key: key.text, operator, values };
  }

  /** One value, possibly empty. */
  #value(): string {
    if (this.#next.kind === 'end' || isSign(this.#next, ',')) return '';
    const token = this.#take();
    if (token.kind !== 'word') throw unparsed(found(token, ', expected: identifier'));
    return token.text;
  }

  /** `(a,b)`; two signs in a row enclose an empty value. */
  #set(): string[] {
    const open = this.#take();
    if (!isSign(open, '(')) throw unparsed(found(open, " expected: '('"));
    const values = new Set<string>();
    for (;;) {
      const token = this.#next;
      if (token.kind === 'word') {
        values.add(this.#take().text);
        if (!isSign(this.#next, ',') && !isSign(this.#next, ')')) throw unparsed(found(this.#next, ", expected: ',' or ')'"));
      } else if (isSign(token, ',') || isSign(token, ')')) {
        values.add('');
      } else {
        const expected = values.size === 0 ? ", expected: ',', ')' or identifier" : ", expected: ',', or identifier";
        throw unparsed(found(token, expected));
      }
      if (isSign(this.#take(), ')')) return [...values].sort();
    }
  }
}

function isSign(token: Token, sign: string): boolean {
  return token.kind === 'sign' && token.text === sign;
}

function found(token: Token, expected: string): SelectorSyntaxError {
  return new SelectorSyntaxError(`found '${token.text}'${expected}`);
}

function unparsed(error: Error): SelectorSyntaxError {
  return new SelectorSyntaxError(`unable to parse requirement: ${error.message}`);
}

/** The checks of `NewRequirement`. */
function validateValues(key: string, operator: LabelRequirement['operator'], values: readonly string[]): FieldError[] {
  const isNumeric = operator === 'Gt' || operator === 'Lt';
  return [
    ...values.flatMap((value, index) => {
      if (!isNumeric || /^[-+]?\d+$/.test(value)) return [];
      return [invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")];
    }),
    ...values.flatMap((value, index) => {
      const problems = checkLabelValue(value);
      return problems.length === 0 ? [] : [invalid(`values[${index}][${key}]`, value, problems.join('; '))];
    }),
  ];
}

function refuse(errors: readonly FieldError[]): void {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  if (texts.length > 0) throw unparsed(new Error(texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`));
}

/** A selector in its string form, with its requirements sorted by key; empty for none. */
export function formatLabelSelector({ matchLabels = {}, matchExpressions = [] }: Partial<LabelSelector>): string {
  const parts: [string, string][] = [
    ...Object.entries(matchLabels).map(([key, value]): [string, string] => [key, `${key}=${value}`]),
    ...matchExpressions.map(({ key, operator, values = [] }): [string, string] => {
      if (operator === 'Exists') return [key, key];
      if (operator === 'DoesNotExist') return [key, `!${key}`];
      return [key, `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`];
    }),
  ];
  const inOrder = parts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return inOrder.map(([, text]) => text).join(',');
}

/** Whether labels meet all requirements. Inequality holds for a missing label. */
export function matchesRequirements(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels?.[key];
    switch (operator) {
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Gt':
        return value !== undefined && Number(value) > Number(values[0]);
      case 'Lt':
        return value !== undefined && Number(value) < Number(values[0]);
    }
  });
}
