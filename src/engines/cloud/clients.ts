/**
 * The clients of the cloud that a kernel has: one for each root configuration, made at first use.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/tx.ts'
import type { CloudClient, CloudProvider, CloudSettings } from './port.ts'
import type { RootConfig } from './records.ts'

interface OpenClient {
  readonly generation: string
  readonly client: CloudClient
  /** Who is asking it something. */
  users: number
  /** Closed when nobody is. */
  retired: boolean
}

export class CloudClients {
  readonly #env: Environment
  /** By the uuid of the mount. */
  readonly #lines = new Map<string, OpenClient>()

  private constructor(env: Environment) {
    this.#env = env
    env.closing.addEventListener('abort', () => {
      for (const line of this.#lines.values()) retire(line)
      this.#lines.clear()
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
   * Runs `ask` with the client of a configuration, which stays open until it ends.
   * @param mount The uuid of the mount.
   * @throws KernelError 502 where there is no client to be had; what `ask` throws.
   */
  async use<T>(mount: string, root: RootConfig, ask: (client: CloudClient) => Promise<T>): Promise<T> {
    const line = this.#lineFor(mount, root)
    line.users++
    try {
      return await ask(line.client)
    } finally {
      line.users--
      if (line.retired) retire(line)
    }
  }

  #lineFor(mount: string, root: RootConfig): OpenClient {
    const known = this.#lines.get(mount)
    if (known?.generation === root.generation) return known
    const line = { generation: root.generation, client: connectClient(this.#env, clientSettings(root)), users: 0, retired: false }
    if (known) retire(known)
    this.#lines.set(mount, line)
    return line
  }
}

const CLIENTS = new WeakMap<Environment, CloudClients>()

function retire(line: OpenClient): void {
  line.retired = true
  if (line.users > 0) return
  // How a client ends that nobody needs any more is of no interest.
  Promise.resolve(line.client.close()).catch(() => {})
}

/** @throws KernelError 400 where the kernel was given none. */
export function providerOf({ ports }: Environment): CloudProvider {
  if (ports.cloud) return ports.cloud
  throw new KernelError('ERR_NOT_CONFIGURED', 'createKernel({ ports: { cloud } }) was given no provider, such as awsCloud()')
}

/** For work with one configuration alone; the caller closes it. @throws KernelError 502 */
export function connectClient(env: Environment, settings: CloudSettings): CloudClient {
  const provider = providerOf(env)
  let client: CloudClient | undefined
  try {
    client = provider.connect(settings)
  } catch (cause) {
    throw new KernelError('ERR_UPSTREAM', 'ports.cloud.connect failed: the error is the cause', { cause })
  }
  if (typeof client?.getUser === 'function' && typeof client.close === 'function') return client
  throw new KernelError('ERR_UPSTREAM', 'ports.cloud.connect returned something that is no client')
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
