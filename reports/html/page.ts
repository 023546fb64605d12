import { createHash } from 'node:crypto';
import { html, trusted } from './markup.ts';
import type { Markup } from './markup.ts';

/** One self-contained page, which needs no network, with a content security policy that allows only its own script. */
export function renderPage(page: {
  readonly title: string;
  readonly style: string;
  readonly script?: string;
  /** The skip link for keyboards, past the top of the page. */
  readonly skip: { readonly to: string; readonly text: string };
  readonly body: Markup;
}): string {
  const scripts = page.script === undefined ? '' : ` script-src '${digest(page.script)}';`;
  const policy = `default-src 'none';${scripts} style-src '${digest(page.style)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title}</title>
        <link rel="icon" href="data:," />
        ${trusted(`<style>${page.style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#${page.skip.to}">${page.skip.text}</a>
        ${page.body} ${page.script !== undefined && trusted(`<script>${page.script}</script>`)}
      </body>
    </html> `.text;
}

function digest(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
