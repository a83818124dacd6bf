import type { Entropy } from '../../../core/base/entropy.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'

export interface ChannelParts {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
}
