/** The plugin of Fastify. It serves the API with the request listener, which reads bodies itself. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { KernelError } from '../../core/base/errors.ts'
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import { acceptList, asList } from '../http/accept-list.ts'
import type { NodeRequest } from '../http/node-request.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { requestListener } from '../http/request-listener.ts'

/** A kernel, or a view of a namespace, whose requests the plugin serves. */
interface ServedKernel extends RequestHandler {
  as(token: string, options?: { readonly remoteAddress?: string; readonly requestId?: string }): object
}

export interface PluginOptions {
  /** The kernel. The plugin does not close it, because it belongs to the application. */
  readonly kernel: ServedKernel
  /** The path before `/v1`, such as `/kms`, after the prefix of the Fastify instance. Default: empty. */
  readonly prefix?: string
  /**
   * Returns the token of a request of the application, from a header or a session. If this option is present, `request.kernel` is the view
   * of that token. Default: no view.
   */
  readonly token?: (request: FastifyRequest) => string | undefined
  /** As for `requestListener` of `strongroom/http`, in bytes. Default 268,435,456 (256 MiB). */
  readonly maxBodyBytes?: number
  /** As for `requestListener` of `strongroom/http`, in milliseconds. Default 30,000. */
  readonly stallTimeoutMs?: OptionDuration
}

const OPTION_NAMES = { kernel: 1, prefix: 1, token: 1, maxBodyBytes: 1, stallTimeoutMs: 1 }

async function serve(fastify: FastifyInstance, given: PluginOptions): Promise<void> {
  const { kernel, prefix = '', token, ...limits } = readOptions('strongroomPlugin', given, OPTION_NAMES)
  if (typeof kernel?.as !== 'function') throw new TypeError('strongroomPlugin: kernel must be a kernel')
  if (token !== undefined && typeof token !== 'function') throw new TypeError('token: must be a function')
  const addresses = new WeakMap<NodeRequest, string>()
  const listener = requestListener(kernel, {
    ...limits,
    prefix: fastify.prefix + prefix,
    remoteAddress: (request) => addresses.get(request),
  })
  acceptList(fastify.server)
  // The router of Fastify refuses verbs that the HTTP/1.1 parser of Node does not know, over HTTP/2 as well.
  fastify.server.prependListener('request', (request: NodeRequest) => {
    if (request.method === 'LIST') Object.assign(request, { method: 'GET', url: asList(request.url ?? '') })
  })
  fastify.decorate('kernel', kernel)
  if (token) decorateRequests(fastify, kernel, token)
  await fastify.register(async (api) => {
    // The listener reads the body.
    api.removeAllContentTypeParsers()
    api.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const url of [`${prefix}/v1`, `${prefix}/v1/*`])
      api.route({
        method: api.supportedMethods as never,
        url,
        handler(request, reply) {
          addresses.set(request.raw, request.ip)
          reply.hijack()
          listener(request.raw, reply.raw)
        },
      })
  })
}

/** As with the package `fastify-plugin`: without a context of its own, the plugin decorates the instance that registers it. */
const PLUGIN_MARKS = {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'strongroom',
  [Symbol.for('plugin-meta')]: { name: 'strongroom', fastify: '5.x' },
}

/**
 * Serves the API of a kernel at `<prefix>/v1`, the verb `LIST` included, and decorates the Fastify instance with `kernel`. Hooks of the
 * application that run before the body is parsed (`onRequest`, `preParsing`) run for these routes too; the plugin then takes over the
 * response. The limits of bodies are those of `requestListener`, not the option `bodyLimit` of Fastify. The caller's address is
 * `request.ip`, which depends on the option `trustProxy` of Fastify.
 *
 * With the option `token`, `request.kernel` is a view that is restricted to the token of the request. Its calls have `request.id` as their
 * request id in the audit log. Without a token, reading `request.kernel` throws a `KernelError` with the status 403.
 * @throws TypeError for an invalid option.
 * @example
 * await app.register(strongroomPlugin, { kernel, prefix: '/kms' })
 */
export const strongroomPlugin: (fastify: FastifyInstance, options: PluginOptions) => Promise<void> =
  /* @__PURE__ */ Object.assign(serve, PLUGIN_MARKS)

function decorateRequests(fastify: FastifyInstance, kernel: ServedKernel, tokenOf: NonNullable<PluginOptions['token']>): void {
  const views = new WeakMap<FastifyRequest, object>()
  fastify.decorateRequest('kernel', {
    getter(this: FastifyRequest) {
      const known = views.get(this)
      if (known) return known
      const token = tokenOf(this)
      if (!token) throw new KernelError('ERR_PERMISSION_DENIED', 'permission denied')
      const view = kernel.as(token, { remoteAddress: this.ip, requestId: this.id })
      views.set(this, view)
      return view
    },
  })
}
