/** The data that a primary gives to a new secondary. */
import { KernelError } from '../../../core/base/errors.ts'
import type { History } from '../state/history.ts'
import type { Forward } from '../state/records.ts'
import { bytesMember, type Message, stringMember } from '../wire/message-members.ts'
import { addressesIn, addressIn, historyIn } from '../wire/read-messages.ts'

export interface ActivationBundle {
  readonly set: string
  readonly set_key: Uint8Array
  /** The primary's public key. */
  readonly key: Uint8Array
  readonly history: History
  readonly id: string
  readonly forward: Forward
  /** The address of the primary: configured by its operator, or assigned by its network. */
  readonly address: string
  /** The addresses of the primary's kernels. */
  readonly addresses: readonly string[]
  readonly api_address: string
}

const KEY_BYTES = 32

/**
 * @param now Milliseconds, on the receiver's clock.
 * @throws KernelError 502 if the message is not a valid bundle.
 */
export function readActivationBundle(message: Message, purpose: string, now: number): ActivationBundle {
  try {
    if (stringMember(message, 'purpose') !== purpose) throw new TypeError('the bundle belongs to the other kind of replication')
    const bundle = {
      set: stringMember(message, 'set', 64),
      set_key: bytesMember(message, 'set_key', KEY_BYTES),
      key: bytesMember(message, 'key', KEY_BYTES),
      history: historyIn(message, now),
      id: stringMember(message, 'id', 256),
      forward: stringMember(message, 'forward') === 'app' ? ('app' as const) : ('policies' as const),
      address: addressIn(message, 'address'),
      addresses: addressesIn(message, 'addresses', 64),
      api_address: addressIn(message, 'api_address'),
    }
    if (bundle.key.length === KEY_BYTES && bundle.set_key.length === KEY_BYTES) return bundle
    throw new TypeError('a key of the bundle has the wrong length')
  } catch (cause) {
    throw new KernelError('ERR_UPSTREAM', 'token: the primary sent an invalid answer', { cause })
  }
}
