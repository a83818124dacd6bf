/** Serves a kernel on a socket. Applications with an HTTP server of their own use `strongroom/http`. */
import type { RequestHandler } from '../adapters/http/request-handler.ts'
import { readOptions } from '../core/base/options.ts'
import { type KernelServer, type ListenOptions, openHttpServer } from './http-server.ts'

export interface ServeOptions extends ListenOptions {}

/**
 * Serves the API of a kernel, or of a configuration service, below `/v1/`. Stopping the server does not close the kernel.
 * @throws TypeError for invalid options; the error of Node if the port is in use or the certificate is invalid.
 * @example
 * const server = await serveKernel(kernel, { port: 8200 })
 * console.log(server.address) // http://127.0.0.1:8200
 */
export async function serveKernel(kernel: RequestHandler, given: ServeOptions = {}): Promise<KernelServer> {
  const options = readOptions('serveKernel', given, { host: 1, port: 1, tls: 1 })
  return openHttpServer('serveKernel', kernel, options)
}
