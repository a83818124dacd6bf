/** Records the plaintext of all messages between clusters: it hooks the keys that encrypt messages and the network that sends them. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import type { AeadKey, CryptoBackend } from '../../../src/core/crypto/backend.ts'
import { inProcessNetwork, type ReplicationTransport } from '../../../src/index.ts'
import { kindOf } from '../../../src/sys/replication/channel/message.ts'

const TAG_BYTES = 16

const MAX_FRAGMENT_BYTES = 65_535

/** The length of the unencrypted head and of a handshake message before the fragments, by the kind of message. */
const FRAGMENTS_BEGIN_AT: Readonly<Record<string, number>> = { exchangeAnswer: 2 + 32 + 16, request: 18, answer: 10 }

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

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
    const kind = kindOf(message) ?? ''
    if (kind === 'exchange') this.crossed.push(this.#plaintextOf(message))
    const begin = FRAGMENTS_BEGIN_AT[kind]
    if (begin === undefined) return
    let plaintext = ''
    for (let at = begin; at < message.length; at += MAX_FRAGMENT_BYTES)
      plaintext += this.#plaintextOf(message.subarray(at, at + MAX_FRAGMENT_BYTES)).slice(1)
    this.crossed.push(plaintext)
  }

  #plaintextOf(sealed: Uint8Array): string {
    const plaintext = this.#sealed.get(latin1(sealed.subarray(-TAG_BYTES)))
    if (plaintext === undefined) throw new Error('a message was sent that no key has sealed')
    return plaintext
  }
}
