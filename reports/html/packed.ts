import { deflateRawSync } from 'node:zlib';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** Content that the page itself unpacks: compressed, which makes it a quarter as large. Until then there is `instead`. */
export function packed(content: Markup, instead: string): Markup {
  const text = deflateRawSync(content.text, { level: 9 }).toString('base64');
  return html`<template class="packed">${text}</template>
    <p class="muted">${instead}</p>`;
}
