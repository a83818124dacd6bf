/** A server for tests that Consul's clients take for a Consul server whose ACL system is enabled. */

import type { OwnConfigService } from '../configsvc/create.ts'
import type { Clock } from '../core/base/clock.ts'
import { type Entropy, systemEntropy } from '../core/base/entropy.ts'
import { uuid } from '../core/base/identifiers.ts'
import { readOptions } from '../core/base/options.ts'
import { memoryStorage } from '../core/storage/memory-storage.ts'
import { type KernelServer, type ListenOptions, openHttpServer } from './http-server.ts'
import { ReplaceableHandler } from './replaceable-handler.ts'

export interface DevConfigServerOptions extends ListenOptions {
  /** The address or host name on which the server listens. Default and its effect: as for `devServer`. */
  readonly host?: string
  /** The port. Default 0: a free one, which {@link DevConfigServer.getAddress} contains. */
  readonly port?: number
  /** The SecretID of the token with all permissions, a UUID. Default: a random one. */
  readonly managementToken?: string
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Default: the generator of the operating system. */
  readonly entropy?: Entropy
}

/** A running server of a configuration service. */
export interface DevConfigServer extends AsyncDisposable {
  /** The service that the server serves. After {@link reset}, this is another service. */
  readonly service: OwnConfigService
  /** The URL of the server, without a trailing slash, such as `http://127.0.0.1:49152`. */
  getAddress(): string
  /** The SecretID of the token with all permissions. */
  getManagementToken(): string
  /** Replaces the store with a new one. Address and management token stay. */
  reset(): Promise<void>
  /** Stops the server and closes the service. Resolves when all connections are closed. */
  stop(): Promise<void>
}

/** Implements `devConfigServer` of `strongroom/testing`. */
export async function startDevConfigServer(given: DevConfigServerOptions = {}): Promise<DevConfigServer> {
  const options = readOptions('devConfigServer', given, { host: 1, port: 1, tls: 1, managementToken: 1, clock: 1, entropy: 1 })
  const { clock, entropy, managementToken = uuid((entropy ?? systemEntropy()).bytes(16)), port = 0, ...listen } = options
  const { createConfigService } = await import('../config-service.ts')
  const open = async (): Promise<OwnConfigService> => {
    const service = await createConfigService({
      storage: memoryStorage(),
      plaintext: true,
      naming: { headerPrefix: 'X-Consul' },
      ...(clock && { clock }),
      ...(entropy && { entropy }),
    })
    try {
      await service.acl.bootstrap({ BootstrapSecret: managementToken })
      service.start({ unref: true })
      return service
    } catch (error) {
      await service.close()
      throw error
    }
  }
  const handler = await ReplaceableHandler.open(open)
  try {
    return new RunningDevConfigServer(
      handler,
      await openHttpServer('devConfigServer', handler, { port, ...listen }, { isLocalOnly: listen.host === undefined }),
      managementToken,
    )
  } catch (error) {
    await handler.close()
    throw error
  }
}

class RunningDevConfigServer implements DevConfigServer {
  readonly #handler: ReplaceableHandler<OwnConfigService>
  readonly #server: KernelServer
  readonly #managementToken: string

  constructor(handler: ReplaceableHandler<OwnConfigService>, server: KernelServer, managementToken: string) {
    this.#handler = handler
    this.#server = server
    this.#managementToken = managementToken
  }

  get service(): OwnConfigService {
    return this.#handler.current
  }

  getAddress(): string {
    return this.#server.address
  }

  getManagementToken(): string {
    return this.#managementToken
  }

  reset(): Promise<void> {
    return this.#handler.replace()
  }

  async stop(): Promise<void> {
    await this.#server.stop()
    await this.#handler.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
