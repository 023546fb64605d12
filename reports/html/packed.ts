import { deflateRawSync } from 'node:zlib';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** Compressed content, a quarter of the size, that the page unpacks itself. Until then `instead` is shown. */
export function packed(content: Markup, instead: string): Markup {
  const text = deflateRawSync(content.text, { level: 9 }).toString('base64');
  return html`<template class="packed">${text}</template>
    <p class="muted">${instead}</p>`;
}
