/** Calls that fail synchronously, without a storage call. */
import type { Kernel } from '../../../src/index.ts'

export interface Call {
  readonly what: string
  readonly misuse?: true
  readonly make: (kernel: Kernel) => Promise<unknown>
}

const plaintext = new Uint8Array(1)

export const CALLS: readonly Call[] = [
  { what: 'a name that is no string', misuse: true, make: (kernel) => kernel.transit.readKey({ name: 1 as unknown as string }) },
  { what: 'an invalid name', make: (kernel) => kernel.transit.createKey({ name: 'a/b' }) },
  {
    what: 'a ciphertext that cannot be decrypted',
    make: async (kernel) => {
      await kernel.transit.createKey({ name: 'k' })
      await kernel.transit.encrypt({ name: 'k', plaintext })
      return kernel.transit.decrypt({ name: 'k', ciphertext: 'strongroom:v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
    },
  },
]

/** Calls that need the storage first. Each one awaits, as user code does. */
export const WAITING: readonly Call[] = [
  { what: 'a missing secret', make: async (kernel) => await kernel.kv.readSecret({ path: 'none' }) },
  {
    what: 'a missing key',
    make: async (kernel) => await kernel.transit.decrypt({ name: 'none', ciphertext: 'strongroom:v1:AAAA' }),
  },
  { what: 'a refused write', make: async (kernel) => await kernel.kv.writeSecret({ path: 'a', data: {} }) },
  {
    what: 'a batch for a missing key',
    make: async (kernel) => await kernel.transit.encryptBatch({ name: 'n', type: 'hmac' as never, batch_input: [{ plaintext }] }),
  },
  { what: 'a missing role', make: async (kernel) => await kernel.database.creds({ name: 'none' }) },
  {
    what: 'a call that the token may not make',
    make: async (kernel) => {
      const { client_token } = await kernel.tokens.createToken({ policies: ['default'] })
      return await kernel.as(client_token).kv.readSecret({ path: 'none' })
    },
  },
]
