/** Calls that are refused at once, without asking the storage. */
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
  {
    what: 'a ciphertext that does not open',
    make: async (kernel) => {
      await kernel.transit.createKey({ name: 'k' })
      await kernel.transit.encrypt({ name: 'k', plaintext })
      return kernel.transit.decrypt({ name: 'k', ciphertext: 'strongroom:v1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })
    },
  },
]
