import { KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/environment.ts'
import { oncePerKernel } from '../../core/contract/once-per-kernel.ts'
import { ClientCache } from '../credentials/client-cache.ts'
import type { CloudClient, CloudProvider, CloudSettings } from './port.ts'
import type { RootConfig } from './records.ts'

const CLIENTS = /* @__PURE__ */ oncePerKernel((env) => new ClientCache<CloudClient>(env, (client) => client.close()))

/**
 * Calls `ask` with the client for the root configuration of a mount.
 * @param mount The uuid of the mount.
 * @throws KernelError 400 if the kernel has no cloud provider, 502 if no client can be created, and every error of `ask`.
 */
export const useCloudClient = <T>(
  env: Environment,
  mount: string,
  root: RootConfig,
  ask: (client: CloudClient) => Promise<T>,
): Promise<T> => CLIENTS(env).use(mount, root.generation, () => connectClient(env, clientSettings(root)), ask)

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
