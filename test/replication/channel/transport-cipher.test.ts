import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { openFragments, sealFragments } from '../../../src/sys/replication/channel/fragments.ts'
import { CipherState } from '../../../src/sys/replication/channel/noise/cipher-state.ts'
import { NONCES_PER_EPOCH, TransportCipher } from '../../../src/sys/replication/channel/transport-cipher.ts'
import { trackedCrypto } from '../../security/recording.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { bytesOf, PARTS, spoiled, textOf } from './ends.ts'

const KEY = new Uint8Array(32).fill(9)

const cipherOf = (crypto = PARTS.crypto, key = KEY) => new TransportCipher(new CipherState(crypto, key))

function encrypted(cipher: TransportCipher, nonce: number, text = `message ${nonce}`): Uint8Array {
  const out = new Uint8Array(bytesOf(text).length + 16)
  if (!cipher.encrypt(nonce, bytesOf(text), out, 0)) throw new Error('not encrypted')
  return out
}

describe('the cipher of one direction', () => {
  it('has another key after every 65,536 nonces, as if Rekey had been called', () => {
    const cipher = cipherOf()
    let state = new CipherState(PARTS.crypto, KEY)
    for (let epoch = 0; epoch < 4; epoch++) {
      for (const nonce of [epoch * NONCES_PER_EPOCH, (epoch + 1) * NONCES_PER_EPOCH - 1]) {
        const plaintext = state.decryptWithAd(nonce, new Uint8Array(0), encrypted(cipher, nonce))
        expect(textOf(plaintext)).toBe(`message ${nonce}`)
      }
      state = state.rekeyed()
    }
  })

  it('decrypts late messages of the previous epoch, and refuses older ones', () => {
    const [sender, receiver] = [cipherOf(), cipherOf()]
    const messages = [0, 5, 65_535, 65_536, 65_540, 131_072].map((nonce) => [nonce, encrypted(sender, nonce)] as const)
    const open = (at: number) => textOf(receiver.decrypt(...messages[at]!))
    expect([open(0), open(3), open(1), open(4), open(2)]).toEqual(
      [0, 65_536, 5, 65_540, 65_535].map((nonce) => `message ${nonce}`),
    )
    expect(open(5)).toBe('message 131072')
    expect([open(0), open(1), open(2)]).toEqual([undefined, undefined, undefined])
    expect(open(3)).toBe('message 65536')
  })

  it('refuses a message that is more than one epoch ahead, without deriving a key', () => {
    const crypto = trackedCrypto()
    const [sender, receiver] = [cipherOf(), cipherOf(crypto)]
    for (const nonce of [0, 65_536]) encrypted(sender, nonce)
    const far = encrypted(sender, 131_072)
    const before = crypto.made
    expect(receiver.decrypt(131_072, far)).toBeUndefined()
    expect(receiver.decrypt(2 ** 40, far)).toBeUndefined()
    expect(crypto.made).toBe(before)
    expect(textOf(receiver.decrypt(65_536, encrypted(cipherOf(), 65_536)))).toBe('message 65536')
    expect(textOf(receiver.decrypt(131_072, far))).toBe('message 131072')
  })

  it('refuses messages of every epoch after any change of a byte, and stays in its epoch', () => {
    const crypto = trackedCrypto()
    const [sender, receiver] = [cipherOf(), cipherOf(crypto)]
    for (const nonce of [7, 65_543, 131_079]) {
      const message = encrypted(sender, nonce)
      for (const changed of spoiled(message)) expect(receiver.decrypt(nonce, changed)).toBeUndefined()
      for (const other of [nonce - 1, nonce + 1, nonce + 65_536]) expect(receiver.decrypt(other, message)).toBeUndefined()
      expect(textOf(receiver.decrypt(nonce, message))).toBe(`message ${nonce}`)
    }
    expect(crypto.alive).toBe(2)
  })

  it('encrypts and decrypts nothing after its end, and wipes the keys of all epochs', () => {
    const crypto = trackedCrypto()
    const cipher = cipherOf(crypto)
    const messages = [0, 65_536].map((nonce) => [nonce, encrypted(cipher, nonce)] as const)
    cipher.end()
    cipher.end()
    expect(crypto.alive).toBe(0)
    for (const [nonce, message] of messages) {
      expect(cipher.decrypt(nonce, message)).toBeUndefined()
      expect(cipher.encrypt(nonce, bytesOf('x'), new Uint8Array(17), 0)).toBe(false)
    }
  })
})

describe('the fragments of a long message', () => {
  const HEAD = bytesOf('head')
  const seal = (plaintext: Uint8Array, nonce = 0, prefix?: Uint8Array, key = KEY) =>
    runToEnd(sealFragments(cipherOf(PARTS.crypto, key), nonce, HEAD, plaintext, prefix))!.subarray(HEAD.length)
  const open = (sealed: Uint8Array, nonce = 0) => runToEnd(openFragments(cipherOf(), nonce, sealed))
  const piecesOf = (sealed: Uint8Array): Uint8Array[] =>
    Array.from({ length: Math.ceil(sealed.length / 65_535) }, (_, at) => sealed.slice(at * 65_535, (at + 1) * 65_535))
  const join = (...pieces: readonly (Uint8Array | undefined)[]) => Uint8Array.from(Buffer.concat(pieces.map((piece) => piece!)))

  it.each([0, 1, 65_517, 65_518, 65_519, 131_036, 131_037, 300_000])(
    'are decrypted to the plaintext if it has %d bytes',
    (length) => {
      const plaintext = noise(length)
      const sealed = seal(plaintext)
      expect(sealed.length).toBe(length + 17 * Math.max(1, Math.ceil(length / 65_518)))
      expect(Buffer.compare(open(sealed)!, plaintext)).toBe(0)
      const prefixed = open(seal(plaintext, 0, bytesOf('prefix')))!
      expect(Buffer.compare(prefixed, Buffer.concat([bytesOf('prefix'), plaintext]))).toBe(0)
    },
  )

  it('are decrypted if the message begins in one epoch and ends in the next', () => {
    const plaintext = noise(300_000)
    const sealed = seal(plaintext, 65_534)
    expect(Buffer.compare(open(sealed, 65_534)!, plaintext)).toBe(0)
  })

  it('are refused if one is missing, repeated, exchanged, or from another message', () => {
    const [one, two, three, last] = piecesOf(seal(noise(250_000)))
    const other = piecesOf(seal(noise(250_000, 2), 100))
    const refused = {
      'the last is missing': join(one, two, three),
      'only the first is left': one!,
      'only the last is left': last!,
      'the first is missing': join(two, three, last),
      'the middle is missing': join(one, two, last),
      'two are exchanged': join(one, three, two, last),
      'one is repeated': join(one, two, two, three, last),
      'the last is repeated': join(one, two, three, last, last),
      'the last is from another message': join(one, two, three, other[3]),
      'the first is from another message': join(other[0], two, three, last),
      'the last byte is missing': join(one, two, three, last!.subarray(0, -1)),
      'the last has only its tag': join(one, two, three, last!.subarray(-16)),
      'a byte was added': join(one, two, three, last, new Uint8Array(1)),
      'there is none': new Uint8Array(0),
    }
    for (const [change, sealed] of Object.entries(refused)) expect(open(sealed), change).toBeUndefined()
    // Each remaining fragment has its own nonce here, so only the marks show that the message is incomplete.
    expect(open(join(two, three, last), 1)).toBeUndefined()
    expect(open(join(three, last), 2)).toBeUndefined()
    expect(open(last!, 3)).toBeUndefined()
    expect(open(join(one, two, three, last))).toHaveLength(250_000)
  })

  it('are refused after any change of a fragment', () => {
    const sealed = seal(noise(140_000))
    for (let at = 0; at < sealed.length; at += 997) expect(open(sealed.with(at, sealed[at]! ^ 1))).toBeUndefined()
  })

  it('are not decrypted any more if the keys are wiped meanwhile', () => {
    const [sender, receiver] = [cipherOf(), cipherOf()]
    const sealing = sealFragments(sender, 0, HEAD, noise(200_000))
    const opening = openFragments(receiver, 0, seal(noise(200_000)))
    for (const steps of [sealing, opening]) expect(steps.next().done).toBe(false)
    sender.end()
    receiver.end()
    expect([runToEnd(sealing), runToEnd(opening)]).toEqual([undefined, undefined])
  })
})
