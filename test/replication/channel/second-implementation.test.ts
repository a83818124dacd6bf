/**
 * The messages of the channel against a second implementation of the server side with OpenSSL, written from the text of the Noise Protocol
 * Framework (revision 34) and the format of the messages.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
} from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { beginExchange } from '../../../src/sys/replication/channel/begin-exchange.ts'
import { sealTo } from '../../../src/sys/replication/channel/box.ts'
import { beginSession } from '../../../src/sys/replication/channel/client-session.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { unhex } from '../../vectors/load.ts'
import { bytesOf, pair, partsOf, textOf } from './ends.ts'

const PARTS = partsOf(nobleCrypto())

interface Pair {
  readonly publicKey: Uint8Array
  agree(publicKey: Uint8Array): Uint8Array
}

const SPKI = unhex('302a300506032b656e032100')

function freshPair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return {
    publicKey: Uint8Array.from(publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length)),
    agree: (other) =>
      diffieHellman({
        privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
        publicKey: createPublicKey({ key: Buffer.concat([SPKI, other]), format: 'der', type: 'spki' }),
      }),
  }
}

/** Section 12.3. */
function nonceOf(n: bigint): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeBigUInt64LE(n, 4)
  return bytes
}

function ENCRYPT(k: Uint8Array, n: bigint, ad: Uint8Array, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('chacha20-poly1305', k, nonceOf(n), { authTagLength: 16 })
  cipher.setAAD(ad, { plaintextLength: plaintext.length })
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function DECRYPT(k: Uint8Array, n: bigint, ad: Uint8Array, ciphertext: Uint8Array): Buffer {
  const decipher = createDecipheriv('chacha20-poly1305', k, nonceOf(n), { authTagLength: 16 })
  decipher.setAAD(ad, { plaintextLength: ciphertext.length - 16 })
  decipher.setAuthTag(ciphertext.subarray(-16))
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()])
}

const EMPTY = Buffer.alloc(0)

/** Section 4.2. */
const REKEY = (k: Uint8Array): Buffer => ENCRYPT(k, 2n ** 64n - 1n, EMPTY, Buffer.alloc(32)).subarray(0, 32)

const HMAC = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest()

/** Section 4.3. */
function HKDF(chainingKey: Uint8Array, inputKeyMaterial: Uint8Array): readonly [Buffer, Buffer] {
  const temporary = HMAC(chainingKey, inputKeyMaterial)
  const first = HMAC(temporary, Buffer.of(1))
  return [first, HMAC(temporary, Buffer.concat([first, Buffer.of(2)]))]
}

/** Section 5.2. */
class Symmetric {
  ck: Buffer
  h: Buffer
  k: Buffer = EMPTY
  n = 0n

  constructor(protocol: string, prologue: string, responderStatic: Uint8Array) {
    this.h = Buffer.alloc(32)
    this.h.write(protocol)
    this.ck = this.h
    this.mixHash(bytesOf(prologue))
    this.mixHash(responderStatic)
  }

  mixHash(data: Uint8Array): Uint8Array {
    this.h = createHash('sha256').update(this.h).update(data).digest()
    return data
  }

  mixKey(ikm: Uint8Array): void {
    ;[this.ck, this.k] = HKDF(this.ck, ikm)
    this.n = 0n
  }

  encryptAndHash(plaintext: Uint8Array): Uint8Array {
    return this.mixHash(ENCRYPT(this.k, this.n++, this.h, plaintext))
  }

  decryptAndHash(ciphertext: Uint8Array): Uint8Array {
    const plaintext = DECRYPT(this.k, this.n++, this.h, ciphertext)
    this.mixHash(ciphertext)
    return plaintext
  }

  split(): readonly [Buffer, Buffer] {
    return HKDF(this.ck, EMPTY)
  }
}

const keyAt = (k: Uint8Array, nonce: number): Uint8Array => {
  let key = k
  for (let epoch = 0; epoch < Math.floor(nonce / 65_536); epoch++) key = REKEY(key)
  return key
}

function seal(k: Uint8Array, nonce: number, plaintext: Uint8Array): Buffer {
  const pieces = Array.from({ length: Math.max(1, Math.ceil(plaintext.length / 65_518)) }, (_, at) =>
    plaintext.subarray(at * 65_518, (at + 1) * 65_518),
  )
  return Buffer.concat(
    pieces.map((piece, at) => {
      const mark = (at === 0 ? 1 : 0) + (at === pieces.length - 1 ? 2 : 0)
      return ENCRYPT(keyAt(k, nonce + at), BigInt(nonce + at), EMPTY, Buffer.of(mark, ...piece))
    }),
  )
}

function open(k: Uint8Array, nonce: number, sealed: Uint8Array): Buffer {
  const count = Math.ceil(sealed.length / 65_535)
  return Buffer.concat(
    Array.from({ length: count }, (_, at) => {
      const piece = sealed.subarray(at * 65_535, (at + 1) * 65_535)
      const opened = DECRYPT(keyAt(k, nonce + at), BigInt(nonce + at), EMPTY, piece)
      expect(opened[0]).toBe((at === 0 ? 1 : 0) + (at === count - 1 ? 2 : 0))
      return opened.subarray(1)
    }),
  )
}

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

describe("a second implementation, written from the specification of Noise and the channel's description,", () => {
  it.each([6, 100_000])('opens a sealed box of %d bytes', (length) => {
    const owner = freshPair()
    const plaintext = noise(length)
    const box = runToEnd(sealTo(PARTS, owner.publicKey, plaintext, 'activate'))!
    expect(box[0]).toBe(1)
    const state = new Symmetric('Noise_N_25519_ChaChaPoly_SHA256', 'strongroom replication 1 box activate', owner.publicKey)
    state.mixKey(owner.agree(state.mixHash(box.subarray(1, 33))))
    expect(state.decryptAndHash(box.subarray(33, 49))).toHaveLength(0)
    expect(Buffer.compare(open(state.split()[0], 0, box.subarray(49)), plaintext)).toBe(0)
  })

  it.each([6, 100_000])('answers an exchange with %d bytes', (length) => {
    const server = freshPair()
    const exchange = beginExchange(PARTS, server.publicKey, 'activate')
    const message = runToEnd(exchange.seal(bytesOf('token')))!
    expect([...message.subarray(0, 2)]).toEqual([1, 1])
    const clientKey = message.subarray(2, 34)
    const state = new Symmetric(
      'Noise_NK_25519_ChaChaPoly_SHA256',
      'strongroom replication 1 exchange activate',
      server.publicKey,
    )
    state.mixHash(clientKey)
    state.mixKey(server.agree(clientKey))
    expect(textOf(state.decryptAndHash(message.subarray(34)))).toBe('token')
    const fresh = freshPair()
    state.mixHash(fresh.publicKey)
    state.mixKey(fresh.agree(clientKey))
    const handshake = Buffer.of(1, 2, ...fresh.publicKey, ...state.encryptAndHash(EMPTY))
    const answer = Buffer.concat([handshake, seal(state.split()[1], 0, noise(length))])
    expect(Buffer.compare(runToEnd(exchange.open(answer))!, noise(length))).toBe(0)
  })

  it('answers the hello message and the requests of a session, also after a rekey', () => {
    const server = freshPair()
    const client = pair()
    const session = runToEnd(beginSession(PARTS, { peerId: 'east', keyPair: client }, server.publicKey, 0))!
    const { hello } = session
    expect([...hello.subarray(0, 2)]).toEqual([1, 3])
    const state = new Symmetric('Noise_IK_25519_ChaChaPoly_SHA256', 'strongroom replication 1 session ', server.publicKey)
    const clientEphemeral = state.mixHash(hello.subarray(2, 34))
    state.mixKey(server.agree(clientEphemeral))
    const clientStatic = state.decryptAndHash(hello.subarray(34, 82))
    expect(clientStatic).toEqual(Buffer.from(client.publicKey))
    state.mixKey(server.agree(clientStatic))
    expect(textOf(state.decryptAndHash(hello.subarray(82)))).toBe('east')

    const fresh = freshPair()
    state.mixHash(fresh.publicKey)
    state.mixKey(fresh.agree(clientEphemeral))
    state.mixKey(fresh.agree(clientStatic))
    const sessionId = Buffer.from('8 bytes!')
    const welcome = Buffer.of(1, 4, ...fresh.publicKey, ...state.encryptAndHash(sessionId))
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(true)

    const [requests, answers] = state.split()
    let nonce = 0
    // The last answers are in the second epoch of the server's direction.
    for (const [answerNonce, length] of [
      [0, 20],
      [1, 100_000],
      [65_534, 200_000],
      [65_538, 20],
    ] as const) {
      const sealed = runToEnd(session.seal(noise(length)))!
      const head = Buffer.concat([Buffer.of(1, 5), sessionId, uint64(nonce)])
      expect(Buffer.from(sealed.message.subarray(0, 18))).toEqual(head)
      expect(Buffer.compare(open(requests, nonce, sealed.message.subarray(18)), noise(length))).toBe(0)
      const reply = seal(answers, answerNonce, Buffer.concat([uint64(nonce), noise(length)]))
      expect(
        Buffer.compare(runToEnd(sealed.open(Buffer.concat([Buffer.of(1, 6), uint64(answerNonce), reply])))!, noise(length)),
      ).toBe(0)
      nonce += Math.ceil(length / 65_518)
    }
  })
})
