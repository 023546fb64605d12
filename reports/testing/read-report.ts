import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/** The text of a report page, with packed parts unpacked. */
export function readReport(path: string): string {
  const packed = /<template class="packed">([^<]*)<\/template>/g;
  return readFileSync(path, 'utf8').replaceAll(packed, (_all, text: string) => inflateRawSync(Buffer.from(text, 'base64')).toString());
}
