/** Calls that are refused: at once, after a look at the storage, in a batch, at a commit. */
import type { Kernel } from '../../../src/index.ts'

export interface Call {
  readonly what: string
  readonly misuse?: true
  readonly make: (kernel: Kernel) => Promise<unknown>
}

const plaintext = new Uint8Array(1)

export const CALLS: readonly Call[] = [
  { what: 'a name that is no text', misuse: true, make: (kernel) => kernel.transit.readKey({ name: 1 as unknown as string }) },
  { what: 'a name that breaks its rule', make: (kernel) => kernel.transit.createKey({ name: 'a/b' }) },
  { what: 'a secret that is not there', make: (kernel) => kernel.kv.readSecret({ path: 'none' }) },
  {
    what: 'one that is known not to be there',
    make: async (kernel) => {
      await kernel.kv.readSecret({ path: 'none' }).catch(() => {})
      return kernel.kv.readSecret({ path: 'none' })
    },
  },
  { what: 'a write that is refused', make: (kernel) => kernel.transit.deleteKey({ name: 'none' }) },
  { what: 'a batch', make: (kernel) => kernel.transit.decryptBatch({ name: 'none', batch_input: [] }) },
  { what: 'one item', make: (kernel) => kernel.transit.decrypt({ name: 'none', ciphertext: 'strongroom:v1:AAAA' }) },
  {
    what: 'a token that may not',
    make: async (kernel) => {
      const { client_token } = await kernel.tokens.createToken({ policies: ['default'] })
      return kernel.as(client_token).transit.encrypt({ name: 'k', plaintext })
    },
  },
]
