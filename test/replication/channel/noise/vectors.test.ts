/** The published test vectors of the Noise protocols that the channel uses (test/vectors/noise/SOURCE.md). */
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../../src/core/base/steps.ts'
import type { CryptoBackend } from '../../../../src/core/crypto/backend.ts'
import { KeyPair } from '../../../../src/sys/replication/channel/key-pair.ts'
import type { CipherState } from '../../../../src/sys/replication/channel/noise/cipher-state.ts'
import { type HandshakePattern, HandshakeState } from '../../../../src/sys/replication/channel/noise/handshake-state.ts'
import { hex, unhex, vectors } from '../../../vectors/load.ts'
import { BACKENDS, PARTS } from '../ends.ts'

interface Vector {
  readonly protocol: string
  readonly prologue: string
  readonly init_static: string
  readonly init_ephemeral: string
  readonly resp_static: string
  readonly resp_ephemeral: string
  readonly messages: readonly { readonly payload: string; readonly ciphertext: string }[]
}

const patternOf = ({ protocol }: Vector): HandshakePattern => protocol.split('_')[1] as HandshakePattern

const VECTORS = ['cacophony', 'snow', 'flynn'].flatMap((source) =>
  vectors<Vector>(`noise/${source}.json`).map((vector, at) => ({
    ...vector,
    title: `${vector.protocol} (${source} ${at})`,
    // In pattern N only the initiator sends. The generator of flynn/noise uses the key of the other direction for every second message.
    isOneWay: patternOf(vector) === 'N' && source !== 'flynn',
  })),
)

/** The number of handshake messages of each pattern. */
const HANDSHAKE_MESSAGES: Readonly<Record<HandshakePattern, number>> = { N: 1, NK: 2, IK: 2 }

/** Both parties, with the ephemeral keys of the vector. */
function parties(crypto: CryptoBackend, vector: Vector): readonly [HandshakeState, HandshakeState] {
  const responder = new KeyPair(crypto, unhex(vector.resp_static))
  const initiator = vector.init_static === '' ? undefined : new KeyPair(crypto, unhex(vector.init_static))
  const common = { pattern: patternOf(vector), prologue: unhex(vector.prologue) }
  const withEphemeral = (key: string) => ({ crypto, entropy: { bytes: () => unhex(key) } })
  return [
    new HandshakeState(withEphemeral(vector.init_ephemeral), {
      ...common,
      identity: initiator,
      remoteStatic: responder.publicKey,
    }),
    new HandshakeState(withEphemeral(vector.resp_ephemeral), { ...common, identity: responder, remoteStatic: undefined }),
  ]
}

function encrypted(cipher: CipherState, nonce: number, plaintext: Uint8Array): Uint8Array {
  const out = new Uint8Array(plaintext.length + 16)
  cipher.encryptWithAd(nonce, new Uint8Array(0), plaintext, out, 0)
  return out
}

describe.each(BACKENDS)('the Noise handshakes with $name', (crypto) => {
  it.each(VECTORS)('agree with $title', (vector) => {
    const [initiator, responder] = parties(crypto, vector)
    const handshakeMessages = HANDSHAKE_MESSAGES[patternOf(vector)]
    for (const [at, { payload, ciphertext }] of vector.messages.slice(0, handshakeMessages).entries()) {
      const [sender, receiver] = at % 2 === 0 ? [initiator, responder] : [responder, initiator]
      const message = runToEnd(sender.writeMessage(unhex(payload)))!
      expect(hex(message)).toBe(ciphertext)
      expect(hex(runToEnd(receiver.readMessage(message))!)).toBe(payload)
    }
    const [initiatorKeys, responderKeys] = [initiator.split(), responder.split()]
    const nonces = [0, 0]
    for (const [at, { payload, ciphertext }] of vector.messages.slice(handshakeMessages).entries()) {
      const direction = vector.isOneWay ? 0 : at % 2
      const [sender, receiver] = direction === 0 ? [initiatorKeys, responderKeys] : [responderKeys, initiatorKeys]
      const nonce = nonces[direction]!++
      const message = encrypted(sender.sending, nonce, unhex(payload))
      expect(hex(message)).toBe(ciphertext)
      expect(hex(receiver.receiving.decryptWithAd(nonce, new Uint8Array(0), message)!)).toBe(payload)
    }
  })
})

it.each(VECTORS)('the messages of $title are refused after any change of a byte', (vector) => {
  const handshakeMessages = HANDSHAKE_MESSAGES[patternOf(vector)]
  for (let at = 0; at < handshakeMessages; at++) {
    const message = unhex(vector.messages[at]!.ciphertext)
    for (let byte = 0; byte < message.length; byte++) {
      const [initiator, responder] = parties(PARTS.crypto, vector)
      if (at === 1) runToEnd(initiator.writeMessage(unhex(vector.messages[0]!.payload)))
      const reader = at === 0 ? responder : initiator
      expect(runToEnd(reader.readMessage(message.with(byte, message[byte]! ^ 0x01)))).toBeUndefined()
    }
  }
})

it('the Noise test vectors cover all three protocols, with and without a prologue and payloads', () => {
  expect(VECTORS).toHaveLength(18)
  for (const pattern of ['N', 'NK', 'IK']) {
    const own = VECTORS.filter((vector) => patternOf(vector) === pattern)
    expect(new Set(own.map(({ prologue }) => prologue !== ''))).toEqual(new Set([true, false]))
    expect(new Set(own.map(({ messages }) => messages[0]!.payload !== ''))).toEqual(new Set([true, false]))
  }
})
