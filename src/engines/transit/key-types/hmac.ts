/** Keys that only make HMACs. */
import type { KeyType } from './key-type.ts'
import { rawTransport } from './transport-raw.ts'

export const hmacType: KeyType = {
  shownAs: undefined,
  sizes: { least: 32, most: 512, usual: 32 },
  upsert: false,
  derivation: false,
  convergent: false,
  macOnly: true,
  fips: true,
  outside: false,
  costs: { encrypt: 0, decrypt: 0, sign: 0, verify: 0 },
  holdsLoop: ['noble', 'accelerated'],
  encryptor: undefined,
  signer: undefined,
  generate: (tx, size) => ({ key: tx.env.entropy.bytes(size), publicKey: '' }),
  transport: rawTransport({ openbao: 10, vault: 11 }, 32, 512),
  open: () => {
    throw new TypeError('an hmac key has no use but its HMACs')
  },
}
