// Preloaded into Node before a Go program: a fetch whose URL selects the result.

const failed = (code: string | undefined): Error =>
  code === undefined ? new TypeError('fake failure') : Object.assign(new Error(`fake ${code}`), { code });

async function fakeFetch(url: string): Promise<object> {
  const [, how, code] = new URL(url).pathname.split('/');
  if (how === 'refuse') throw failed(code);
  let sent = 0;
  const read = async (): Promise<object> => {
    sent += 1;
    if (sent === 1) return { done: false, value: new TextEncoder().encode('part') };
    if (how === 'break') throw failed(code);
    return { done: true };
  };
  return {
    status: 200,
    headers: new Headers(),
    body: { getReader: () => ({ read, cancel: async () => undefined }) },
    redirected: false,
    url,
  };
}

(globalThis as { fetch: unknown }).fetch = fakeFetch;

export {};
