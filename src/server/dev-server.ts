/** A server for tests that Vault's clients take for a Vault server in development mode. */

import type { Clock } from '../core/base/clock.ts'
import type { Entropy } from '../core/base/entropy.ts'
import { readOptions } from '../core/base/options.ts'
import type { Ports } from '../core/contract/ports.ts'
import type { Kernel } from '../kernel.ts'
import { readSeed } from '../seed/apply-seed.ts'
import type { Seed } from '../seed/seed.ts'
import { type KernelServer, type ListenOptions, openHttpServer } from './http-server.ts'
import { type PageOptions, type ServedPages, servedPages } from './pages.ts'
import { ReplaceableHandler } from './replaceable-handler.ts'
import { openVaultKernel } from './vault-kernel.ts'

export interface DevServerOptions extends ListenOptions, Pick<PageOptions, 'ui' | 'metrics'> {
  /**
   * The address or host name on which the server listens. Default `127.0.0.1`; then requests whose header `Host` is a name are answered with
   * 403, except `localhost` and the names by which containers reach their host, because the name may be that of a web page (DNS rebinding).
   */
  readonly host?: string
  /** The port. Default 0: a free one, which {@link DevServer.getAddress} contains. */
  readonly port?: number
  /** The root token. Default `root`. */
  readonly rootToken?: string
  /** Mounts, policies, keys and secrets that exist when the server is started, and again after {@link DevServer.reset}. */
  readonly seed?: Seed
  /** Default: the system clock. With `fakeClock()`, leases and tokens expire when the test advances the clock. */
  readonly clock?: Clock
  /** Default: the generator of the operating system. */
  readonly entropy?: Entropy
  /** Connections to external systems, as in `createKernel`. */
  readonly ports?: Ports
}

/** A running server. The methods have the names of the Vault module of Testcontainers. */
export interface DevServer extends AsyncDisposable {
  /** The kernel that the server serves. After {@link reset}, this is another kernel. */
  readonly kernel: Kernel
  /** The URL of the server, without a trailing slash, such as `http://127.0.0.1:49152`. */
  getAddress(): string
  getRootToken(): string
  /** Replaces the store with a new one. Address and root token stay, and the seed is applied again. Requests in flight are answered first. */
  reset(): Promise<void>
  /** Stops the server and closes the kernel. Resolves when all connections are closed. */
  stop(): Promise<void>
}

/** Implements `devServer` of `strongroom/testing`. */
export async function startDevServer(given: DevServerOptions = {}): Promise<DevServer> {
  const options = readOptions('devServer', given, {
    host: 1,
    port: 1,
    tls: 1,
    ui: 1,
    metrics: 1,
    rootToken: 1,
    seed: 1,
    clock: 1,
    entropy: 1,
    ports: 1,
  })
  const { rootToken = 'root', seed = {}, clock, entropy, ports, port = 0, ui, metrics, ...listen } = options
  const settings = { rootToken, seed: readSeed('devServer', seed), clock, entropy, ports }
  const handler = await ReplaceableHandler.open(() => openVaultKernel(settings))
  try {
    const pages = servedPages('devServer', () => handler.current, { ui, metrics })
    const server = await openHttpServer(
      'devServer',
      handler,
      { port, ...listen },
      { pages: pages.handlers, isLocalOnly: listen.host === undefined },
    )
    return new RunningDevServer(handler, server, pages, rootToken)
  } catch (error) {
    await handler.close()
    throw error
  }
}

class RunningDevServer implements DevServer {
  readonly #handler: ReplaceableHandler<Kernel>
  readonly #server: KernelServer
  readonly #pages: ServedPages
  readonly #rootToken: string

  constructor(handler: ReplaceableHandler<Kernel>, server: KernelServer, pages: ServedPages, rootToken: string) {
    this.#handler = handler
    this.#server = server
    this.#pages = pages
    this.#rootToken = rootToken
  }

  get kernel(): Kernel {
    return this.#handler.current
  }

  getAddress(): string {
    return this.#server.address
  }

  getRootToken(): string {
    return this.#rootToken
  }

  reset(): Promise<void> {
    return this.#handler.replace()
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    this.#pages.close()
    await this.#handler.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
