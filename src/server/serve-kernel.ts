/** Serves a kernel on a socket. Applications with an HTTP server of their own use `strongroom/http`. */
import type { RequestHandler } from '../adapters/http/request-handler.ts'
import { readOptions } from '../core/base/options.ts'
import type { Kernel } from '../kernel.ts'
import { type KernelServer, type ListenOptions, openHttpServer } from './http-server.ts'
import { type PageOptions, servedPages } from './pages.ts'

/** The options of `serveKernel`. The pages need a kernel: with them, a configuration service is refused. */
export interface ServeOptions extends ListenOptions, PageOptions {}

/**
 * Serves the API of a kernel, or of a configuration service, below `/v1/`. Stopping the server does not close the kernel.
 * @throws TypeError for invalid options; the error of Node if the port is in use or the certificate is invalid.
 * @example
 * const server = await serveKernel(kernel, { port: 8200 })
 * console.log(server.address) // http://127.0.0.1:8200
 */
export async function serveKernel(kernel: RequestHandler, given: ServeOptions = {}): Promise<KernelServer> {
  const names = { host: 1, port: 1, tls: 1, ui: 1, metrics: 1, auditTail: 1 }
  const { ui, metrics, auditTail, ...listen } = readOptions('serveKernel', given, names)
  const pages = servedPages('serveKernel', () => kernel as Kernel, { ui, metrics, auditTail })
  const server = await openHttpServer('serveKernel', kernel, listen, { pages: pages.handlers })
  const stop = (): Promise<void> => server.stop().finally(() => pages.close())
  return { address: server.address, stop, [Symbol.asyncDispose]: stop }
}
