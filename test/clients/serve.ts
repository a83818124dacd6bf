/**
 * A kernel with the names of the originals, on the loopback interface: what clients of the originals talk to.
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

/** Closes the kernel, too. */
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
