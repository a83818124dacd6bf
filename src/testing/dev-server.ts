import type { DevConfigServer, DevConfigServerOptions } from '../server/dev-config-server.ts'
import type { DevServer, DevServerOptions } from '../server/dev-server.ts'

/**
 * Starts an HTTP server that Vault's clients take for a Vault server in development mode: in memory, unsealed, with the root token `root`,
 * Vault's header names and ciphertext prefix, and version 2 of the key/value engine at `secret/`. Listens on the loopback interface.
 * Due work, such as the end of leases, is done every second.
 * @throws TypeError for invalid options; KernelError if the seed cannot be applied; the error of Node if the port is in use.
 * @example
 * const vault = await devServer()
 * const headers = { 'X-Vault-Token': vault.getRootToken() }
 * await fetch(`${vault.getAddress()}/v1/sys/mounts`, { headers })
 * await vault.reset() // between tests
 * await vault.stop()
 */
export async function devServer(options: DevServerOptions = {}): Promise<DevServer> {
  const { startDevServer } = await import('../server/dev-server.ts')
  return startDevServer(options)
}

/**
 * Starts an HTTP server that Consul's clients take for a Consul server whose ACL system is enabled: a configuration service in memory with
 * Consul's header names. Listens on the loopback interface.
 * @throws TypeError for invalid options; KernelError 400 if `managementToken` is not a UUID; the error of Node if the port is in use.
 * @example
 * const consul = await devConfigServer()
 * const headers = { 'X-Consul-Token': consul.getManagementToken() }
 * await fetch(`${consul.getAddress()}/v1/acl/policies`, { headers })
 * await consul.stop()
 */
export async function devConfigServer(options: DevConfigServerOptions = {}): Promise<DevConfigServer> {
  const { startDevConfigServer } = await import('../server/dev-config-server.ts')
  return startDevConfigServer(options)
}
