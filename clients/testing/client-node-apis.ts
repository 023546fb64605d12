import {
  CoreV1Api,
  CustomObjectsApi,
  ResponseContext,
  ServerConfiguration,
  createConfiguration,
  wrapHttpLibrary,
} from '@kubernetes/client-node';
import type { RequestContext } from '@kubernetes/client-node';
import { readText } from '../../wire/wire.ts';
import type { Wire } from '../../wire/wire.ts';

/** client-node's own API classes on a wire. */
export function clientNodeApis(wire: Wire): { core: CoreV1Api; custom: CustomObjectsApi } {
  const send = async (request: RequestContext): Promise<ResponseContext> => {
    const { pathname, search } = new URL(request.getUrl());
    const headers = Object.fromEntries(Object.entries(request.getHeaders()).map(([name, value]) => [name.toLowerCase(), value]));
    const body = request.getBody();
    const answer = await wire({
      method: request.getHttpMethod(),
      path: pathname + search,
      headers,
      ...(typeof body === 'string' ? { body } : {}),
    });
    const text = await readText(answer.body);
    return new ResponseContext(
      answer.status,
      { ...answer.headers },
      {
        text: () => Promise.resolve(text),
        binary: () => Promise.resolve(Buffer.from(text)),
        stream: () => null,
      },
    );
  };
  const baseServer = new ServerConfiguration<Record<string, string>>('http://kubernetes', {});
  const configuration = createConfiguration({ baseServer, httpApi: wrapHttpLibrary({ send }), authMethods: {} });
  return { core: new CoreV1Api(configuration), custom: new CustomObjectsApi(configuration) };
}
