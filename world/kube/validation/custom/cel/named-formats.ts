import { Optional } from '@marcbachmann/cel-js';
import type { Environment } from '@marcbachmann/cel-js';
import {
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../../../../../protocols/kube/names.ts';
import { SYNC } from './functions.ts';

type Check = (text: string) => readonly string[];

class Formats {}

class Format {
  readonly check: Check;
  constructor(check: Check) {
    this.check = check;
  }
}

const FORMATS: Readonly<Record<string, Check>> = {
  dns1123Label: checkDnsLabel,
  dns1123Subdomain: checkDnsSubdomain,
  dns1035Label: checkDns1035Label,
  qualifiedName: checkQualifiedName,
  labelValue: checkLabelValue,
};

/** `apiserver/pkg/cel/library/format.go`: the formats of names. */
export function registerFormats(env: Environment): void {
  const validate = ({ check }: Format, text: string): Optional<readonly string[]> => {
    const problems = check(text);
    return problems.length === 0 ? Optional.none() : Optional.of(problems);
  };
  env
    .registerType('Formats', Formats)
    .registerType('Format', Format)
    .registerConstant('format', 'Formats', new Formats())
    .registerFunction('Format.validate(string): optional<list<string>>', validate, SYNC);
  for (const [name, check] of Object.entries(FORMATS)) {
    const format = new Format(check);
    env.registerFunction(`Formats.${name}(): Format`, () => format, SYNC);
  }
}
