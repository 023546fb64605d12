import { BlockList, isIP, isIPv6 } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { isAddress, isAddressRange } from '../../addresses.ts';
import { SYNC, fail } from './functions.ts';

/** `apiserver/pkg/cel/library/urls.go`: absolute URLs, or paths. */
export function registerUrls(env: Environment): void {
  const hostOf = ({ host }: Url): string => host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1');
  const query = ({ search }: Url): Map<string, string[]> => {
    const parameters = new URLSearchParams(search);
    return new Map([...new Set(parameters.keys())].map((key) => [key, parameters.getAll(key)]));
  };
  env
    .registerType('URL', Url)
    .registerOperator('URL == URL', (a: Url, b: Url) => a.text === b.text)
    .registerFunction(
      'url(string): URL',
      (text: string) =>
        Url.read(text) ?? fail(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`),
      SYNC,
    )
    .registerFunction('isURL(string): bool', (text: string) => Url.read(text) !== undefined, SYNC)
    .registerFunction('URL.getScheme(): string', ({ scheme }: Url) => scheme, SYNC)
    .registerFunction('URL.getHost(): string', ({ host }: Url) => host, SYNC)
    .registerFunction('URL.getHostname(): string', hostOf, SYNC)
    .registerFunction('URL.getPort(): string', ({ host }: Url) => /:(\d*)$/.exec(host)?.[1] ?? '', SYNC)
    .registerFunction('URL.getEscapedPath(): string', ({ path }: Url) => path, SYNC)
    .registerFunction('URL.getQuery(): map<string, list<string>>', query, SYNC);
}

const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):(?:\/\/(?:[^/?#@\s]*@)?([^/?#\s]*))?)?(\/[^?#\s]*|)(?:\?([^#\s]*))?$/;

class Url {
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly search: string;
  constructor(text: string, [, scheme = '', host = '', path = '', search = '']: readonly (string | undefined)[]) {
    this.text = text;
    this.scheme = scheme.toLowerCase();
    this.host = host;
    this.path = path;
    this.search = search;
  }

  static read(text: string): Url | undefined {
    const parts = URL_PARTS.exec(text);
    if (parts === null || (parts[1] === undefined && !text.startsWith('/'))) return undefined;
    return new Url(text, parts);
  }
}

class Ip {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

class Cidr {
  readonly text: string;
  readonly address: string;
  readonly length: number;
  readonly range = new BlockList();
  constructor(text: string) {
    const [address = '', length = ''] = text.split('/');
    this.text = text;
    this.address = address;
    this.length = Number(length);
    this.range.addSubnet(address, this.length, familyOf(address));
  }

  holds(address: string): boolean {
    return familyOf(address) === familyOf(this.address) && this.range.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** `apiserver/pkg/cel/library/ip.go` and `cidr.go`: properties of addresses, and membership in ranges. */
export function registerAddresses(env: Environment): void {
  const ip = (text: string): Ip =>
    isAddress(text) ? new Ip(text) : fail(`IP Address ${JSON.stringify(text)} parse error during conversion from string${whyNot(text)}`);
  // Of Go's reasons only this one.
  const whyNot = (text: string): string => (/[.:]/.test(text) ? '' : `: ParseAddr(${JSON.stringify(text)}): unable to parse IP`);
  const cidr = (text: string): Cidr =>
    isAddressRange(text)
      ? new Cidr(text)
      : fail(`network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)})`);
  const within = (outer: Cidr, inner: Cidr): boolean => inner.length >= outer.length && outer.holds(inner.address);
  env
    .registerType('IP', Ip)
    .registerType('CIDR', Cidr)
    .registerFunction('ip(string): IP', ip, SYNC)
    .registerFunction('isIP(string): bool', isAddress, SYNC)
    .registerFunction('string(IP): string', ({ text }: Ip) => text, SYNC)
    .registerFunction('IP.family(): int', ({ text }: Ip) => BigInt(isIP(text)), SYNC)
    .registerFunction('cidr(string): CIDR', cidr, SYNC)
    .registerFunction('isCIDR(string): bool', isAddressRange, SYNC)
    .registerFunction('string(CIDR): string', ({ text }: Cidr) => text, SYNC)
    .registerFunction('CIDR.ip(): IP', ({ address }: Cidr) => new Ip(address), SYNC)
    .registerFunction('CIDR.prefixLength(): int', ({ length }: Cidr) => BigInt(length), SYNC)
    .registerFunction('CIDR.containsIP(string): bool', (range: Cidr, text: string) => range.holds(ip(text).text), SYNC)
    .registerFunction('CIDR.containsIP(IP): bool', (range: Cidr, { text }: Ip) => range.holds(text), SYNC)
    .registerFunction('CIDR.containsCIDR(string): bool', (range: Cidr, text: string) => within(range, cidr(text)), SYNC)
    .registerFunction('CIDR.containsCIDR(CIDR): bool', within, SYNC);
}
