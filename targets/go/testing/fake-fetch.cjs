'use strict';
// Loaded into Node before a Go program: a fetch whose URL says how it ends.

const failed = (code) => Object.assign(new Error(`fake ${code}`), { code });

globalThis.fetch = async (url) => {
  const [, how, code] = new URL(url).pathname.split('/');
  if (how === 'refuse') throw code === undefined ? new TypeError('fake failure') : failed(code);
  let sent = 0;
  const read = async () => {
    sent += 1;
    if (sent === 1) return { done: false, value: new TextEncoder().encode('part') };
    if (how === 'break') throw code === undefined ? new TypeError('fake failure') : failed(code);
    return { done: true };
  };
  return {
    status: 200,
    headers: new Headers(),
    body: { getReader: () => ({ read, cancel: async () => undefined }) },
    redirected: false,
    url,
  };
};
