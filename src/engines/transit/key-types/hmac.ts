/** Keys that only compute HMACs. */
import type { KeyType } from './key-type.ts'
import { rawCodec } from './raw-codec.ts'

export const hmacType: KeyType = {
  displayName: undefined,
  keySizes: { min: 32, max: 512, default: 32 },
  upsert: false,
  canDerive: false,
  canConverge: false,
  macOnly: true,
  fips: true,
  isManaged: false,
  costs: () => ({ encrypt: 0, decrypt: 0, sign: 0, verify: 0 }),
  blockingBackends: ['noble'],
  numbers: { openbao: 10, vault: 11 },
  code: [],
  encryptor: undefined,
  signer: undefined,
  generate: (tx, size) => ({ key: tx.env.entropy.bytes(size), publicKey: '' }),
  codec: rawCodec(32, 512),
  open: () => {
    throw new TypeError('an hmac key can only compute HMACs')
  },
}
