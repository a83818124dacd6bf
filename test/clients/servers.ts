/** The servers that the suites of clients use, from the kernel of this process. `started-servers.ts` has the same servers by command. */
import { randomUUID } from 'node:crypto'
import { kubernetesTokenReviewer } from '../../src/adapters/orchestrator-kubernetes/index.ts'
import { createDevKernel, createKernel, memoryStorage, shamirSeal } from '../../src/index.ts'
import { NAMING, type Serving, serve } from './serve.ts'

export interface VaultServer extends Serving {
  /** The root token. */
  readonly token: string
}

export interface Servers {
  /** A new server with KV version 1 at `secret/` and transit at `transit/`. */
  readonly ready: () => Promise<VaultServer>
  /** A new server whose store is not initialized. It waits for key shares after that. Logins of Kubernetes ask the API server. */
  readonly uninitialized: () => Promise<Serving>
}

export const served: Servers = {
  async ready() {
    const token = randomUUID()
    return { ...(await serve(await createDevKernel({ naming: NAMING, rootToken: token }))), token }
  },
  uninitialized: async () =>
    serve(
      await createKernel({
        storage: memoryStorage(),
        seal: shamirSeal(),
        naming: NAMING,
        ports: { tokenReviewer: kubernetesTokenReviewer() },
      }),
    ),
}
