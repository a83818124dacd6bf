/**
 * Serves a kernel with Vault's names on the loopback interface for unmodified Vault clients.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { acceptList, requestListener } from '../../src/adapters/http/index.ts'
import type { Kernel } from '../../src/index.ts'

export const NAMING = { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' }

export interface Serving {
  readonly endpoint: string
  readonly close: () => Promise<void>
}

/** `close` also closes the kernel. */
export async function serve(kernel: Kernel): Promise<Serving> {
  const server = acceptList(createServer(requestListener(kernel)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await kernel.close()
    },
  }
}
