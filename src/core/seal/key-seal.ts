import { type Entropy, systemEntropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { readOptions } from '../base/options.ts'
import type { AeadKey } from '../crypto/backend.ts'
import { nobleCrypto } from '../crypto/noble/index.ts'
import type { Seal } from './seal.ts'
import { unwrapWith, wrapWith } from './wrapping.ts'

export interface KeySealOptions {
  /** Former keys of 32 bytes each. A store that is sealed with a former key can still be opened; it is then sealed with the current key. */
  readonly previous?: readonly Uint8Array[]
  /** The source of random bytes. Default: the system's random generator. */
  readonly entropy?: Entropy
}

/**
 * A seal with a 256-bit key that the application keeps, for example in the environment or in a cloud provider's secret store. Its type is
 * `static`. The store can be unsealed only with this key. If the key is lost, everything in the store is lost.
 * @param key 32 bytes. They are copied, so the caller may wipe the array afterwards.
 * @throws TypeError if `key` or a former key is not a `Uint8Array` of 32 bytes.
 */
export function keySeal(key: Uint8Array, given: KeySealOptions = {}): Seal {
  const options = readOptions('keySeal', given, { previous: 1, entropy: 1 })
  const entropy = options.entropy ?? systemEntropy()
  const current = expand(key, 'key')
  const previous = (options.previous ?? []).map((former) => expand(former, 'every previous key'))
  return {
    type: 'static',
    recoveryKeys: true,
    async wrap(bytes) {
      return wrapWith(current, bytes, entropy)
    },
    async unwrap(wrapped) {
      for (const candidate of [current, ...previous]) {
        const opened = unwrapWith(candidate, wrapped)
        if (opened) return opened
      }
      throw new KernelError('ERR_SEALED', 'keySeal: this key does not open the store, which was sealed with another key')
    },
    outdated(wrapped) {
      const opened = unwrapWith(current, wrapped)
      opened?.fill(0)
      return !opened
    },
  }
}

function expand(key: Uint8Array, name: string): AeadKey {
  if (!(key instanceof Uint8Array) || key.length !== 32) throw new TypeError(`keySeal: ${name} must be a Uint8Array of 32 bytes`)
  return nobleCrypto().aead('aes-gcm', key)
}
