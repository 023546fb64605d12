import { isIP, isIPv4, isIPv6 } from 'node:net';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../protocols/kube/names.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const HOSTNAME = /^([a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})(\.[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62})*\.?$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}([.,]\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;
const GO_DURATION = /^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$|^0$/;
const SCALA_DURATION =
  /^\s*\d+(\.\d+)?\s*(ns|nanos?(econds?)?|us|micros?(econds?)?|ms|millis?(econds?)?|s(econds?)?|m(inutes?)?|h(ours?)?|d(ays?)?|w(eeks?)?)\s*$/;

/** The string formats that a definition may use (`apiextensions-apiserver/pkg/apiserver/validation/formats.go`). */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  email: (text) => /^[^@\s]+@[^@\s]+$/.test(text),
  hostname: (text) => HOSTNAME.test(text),
  ipv4: (text) => isIPv4(text),
  ipv6: (text) => isIPv6(text),
  cidr: isCidr,
  mac: (text) => /^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$/.test(text),
  uuid: (text) => UUID.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => DATE_TIME.test(text),
  duration: (text) => GO_DURATION.test(text) || SCALA_DURATION.test(text),
  k8sshortname: (text) => checkDnsLabel(text).length === 0,
  k8slongname: (text) => checkDnsSubdomain(text).length === 0,
};

/** Whether a text has a format. A format that is unknown here or in Kubernetes accepts any text. */
export function hasFormat(text: string, format: string): boolean {
  return FORMATS[format.replaceAll('-', '')]?.(text) ?? true;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const version = isIP(address);
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}
