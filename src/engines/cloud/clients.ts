import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { CloudClient, CloudProvider, CloudSettings } from './port.ts'
import type { RootConfig } from './records.ts'

interface OpenClient {
  readonly generation: string
  readonly client: CloudClient
  /** The number of calls in progress. */
  users: number
  /** Whether to close the client when its last call ends. */
  retired: boolean
}

/** The cloud clients of a kernel. Each root configuration has one client, created at first use. */
export class CloudClients {
  readonly #env: Environment
  /** The clients, keyed by the uuid of the mount. */
  readonly #entries = new Map<string, OpenClient>()

  private constructor(env: Environment) {
    this.#env = env
    env.closing.addEventListener('abort', () => {
      for (const entry of this.#entries.values()) retire(entry)
      this.#entries.clear()
    })
  }

  static of(env: Environment): CloudClients {
    const known = CLIENTS.get(env)
    if (known) return known
    const made = new CloudClients(env)
    CLIENTS.set(env, made)
    return made
  }

  /**
   * Calls `ask` with the client for the root configuration of a mount. The client stays open until `ask` ends, even if the configuration
   * changes meanwhile.
   * @param mount The uuid of the mount.
   * @throws KernelError 400 if the kernel has no cloud provider, 502 if no client can be created, and every error of `ask`.
   */
  async use<T>(mount: string, root: RootConfig, ask: (client: CloudClient) => Promise<T>): Promise<T> {
    const entry = this.#entryFor(mount, root)
    entry.users++
    try {
      return await ask(entry.client)
    } finally {
      entry.users--
      if (entry.retired) retire(entry)
    }
  }

  #entryFor(mount: string, root: RootConfig): OpenClient {
    const known = this.#entries.get(mount)
    if (known?.generation === root.generation) return known
    const entry = {
      generation: root.generation,
      client: connectClient(this.#env, clientSettings(root)),
      users: 0,
      retired: false,
    }
    if (known) retire(known)
    this.#entries.set(mount, entry)
    return entry
  }
}

const CLIENTS = new WeakMap<Environment, CloudClients>()

function retire(entry: OpenClient): void {
  entry.retired = true
  if (entry.users > 0) return
  // A failure to close affects no caller, so it is ignored.
  Promise.resolve(entry.client.close()).catch(() => {})
}

/** @throws KernelError 400 if the kernel has no cloud provider. */
export function providerOf({ ports }: Environment): CloudProvider {
  if (ports.cloud) return ports.cloud
  throw new KernelError(
    'ERR_NOT_CONFIGURED',
    'ports.cloud: is not configured; give createKernel({ ports: { cloud } }) a provider such as awsCloud()',
  )
}

/**
 * Creates a client that is not shared. The caller must close it. @throws KernelError 400 if the kernel has no cloud provider, 502 if no
 * client can be created.
 */
export function connectClient(env: Environment, settings: CloudSettings): CloudClient {
  const provider = providerOf(env)
  let client: CloudClient | undefined
  try {
    client = provider.connect(settings)
  } catch (cause) {
    throw new KernelError('ERR_UPSTREAM', 'ports.cloud.connect: failed; the cause of this error is the error of the provider', {
      cause,
    })
  }
  if (typeof client?.getUser === 'function' && typeof client.close === 'function') return client
  throw new KernelError('ERR_UPSTREAM', 'ports.cloud.connect: must return a client with all methods of CloudClient')
}

export function clientSettings(root: RootConfig): CloudSettings {
  const { access_key, secret_key, region, iam_endpoint, sts_endpoint, max_retries } = root
  return {
    ...(access_key === '' ? {} : { accessKey: access_key, secretKey: secret_key }),
    ...(region === '' ? {} : { region }),
    ...(iam_endpoint === '' ? {} : { iamEndpoint: iam_endpoint }),
    ...(sts_endpoint === '' ? {} : { stsEndpoint: sts_endpoint }),
    ...(max_retries < 0 ? {} : { maxRetries: max_retries }),
  }
}
