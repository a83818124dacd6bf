/** Records the plaintext of all messages between clusters: it hooks the keys that encrypt messages and the network that sends them. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import type { AeadKey, CryptoBackend } from '../../../src/core/crypto/backend.ts'
import { inProcessNetwork, type ReplicationTransport } from '../../../src/index.ts'
import { kindOf } from '../../../src/sys/replication/channel/message.ts'

const TAG_BYTES = 16

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** The kinds of encrypted messages. All others only begin sessions. */
const PACKED: readonly unknown[] = ['exchange', 'exchangeAnswer', 'request', 'answer']

export class Wiretap {
  readonly crypto: CryptoBackend
  readonly network: ReplicationTransport
  /** The plaintexts of messages and answers since the last {@link clear}. */
  readonly crossed: string[] = []
  /** The plaintext of each encrypted message, by its authentication tag. */
  readonly #sealed = new Map<string, string>()

  constructor() {
    const inner = nodeCrypto()
    this.crypto = { ...inner, aead: (algorithm, key) => this.#recording(inner.aead(algorithm, key)) }
    const network = inProcessNetwork()
    this.network = {
      listen: (address, handler) => network.listen(address, handler),
      request: async (address, bytes, signal) => {
        this.#note(bytes)
        const answer = await network.request(address, bytes, signal)
        this.#note(answer)
        return answer
      },
    }
  }

  clear(): void {
    this.crossed.length = 0
  }

  #recording(key: AeadKey): AeadKey {
    const note = (plaintext: Uint8Array, out: Uint8Array, at: number): void => {
      const end = at + plaintext.length + TAG_BYTES
      this.#sealed.set(latin1(out.subarray(end - TAG_BYTES, end)), latin1(plaintext))
    }
    const { seal, sealSteps } = key
    key.seal = (nonce, plaintext, aad, out, at) => {
      seal.call(key, nonce, plaintext, aad, out, at)
      note(plaintext, out, at)
    }
    key.sealSteps = function* (nonce, plaintext, aad, out, at) {
      yield* sealSteps.call(key, nonce, plaintext, aad, out, at)
      note(plaintext, out, at)
    }
    return key
  }

  #note(message: Uint8Array): void {
    if (!PACKED.includes(kindOf(message))) return
    const plaintext = this.#sealed.get(latin1(message.subarray(-TAG_BYTES)))
    if (plaintext === undefined) throw new Error('a message was sent that no key has sealed')
    this.crossed.push(plaintext)
  }
}
