/**
 * The messages of the channel against a second implementation of the server side, written step by step with OpenSSL.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { beginExchange } from '../../../src/sys/replication/channel/begin-exchange.ts'
import { sealTo } from '../../../src/sys/replication/channel/box.ts'
import { beginSession } from '../../../src/sys/replication/channel/client-session.ts'
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

/** Derives `count` keys of 32 bytes. */
function derive(purpose: string, secrets: Uint8Array[], fields: Uint8Array[], count = 1): Buffer[] {
  const info = [bytesOf('strongroom replication channel 1'), bytesOf(purpose), ...fields].flatMap((field) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(field.length)
    return [length, field]
  })
  const bytes = Buffer.from(hkdfSync('sha256', Buffer.concat(secrets), new Uint8Array(0), Buffer.concat(info), 32 * count))
  return Array.from({ length: count }, (_, index) => bytes.subarray(32 * index, 32 * index + 32))
}

function nonce(counter: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(counter, 8)
  return bytes
}

function seal(key: Buffer | undefined, counter: number, head: Uint8Array, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('chacha20-poly1305', key!, nonce(counter), { authTagLength: 16 })
  cipher.setAAD(head, { plaintextLength: plaintext.length })
  return Buffer.concat([head, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer | undefined, counter: number, head: Uint8Array, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('chacha20-poly1305', key!, nonce(counter), { authTagLength: 16 })
  decipher.setAAD(head, { plaintextLength: sealed.length - 16 })
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}

describe("a second implementation, written from the protocol's description,", () => {
  it('opens a sealed box', () => {
    const owner = freshPair()
    const box = runToEnd(sealTo(PARTS, owner.publicKey, bytesOf('bundle'), 'activate'))!
    expect(box[0]).toBe(1)
    const head = box.subarray(0, 33)
    const [key] = derive('box', [owner.agree(box.subarray(1, 33))], [bytesOf('activate'), owner.publicKey, head])
    expect(textOf(open(key, 0, head, box.subarray(33)))).toBe('bundle')
  })

  it('answers an exchange', () => {
    const server = freshPair()
    const exchange = beginExchange(PARTS, server.publicKey, 'activate')
    const message = runToEnd(exchange.seal(bytesOf('token')))!
    const head = message.subarray(0, 34)
    expect([...head.subarray(0, 2)]).toEqual([1, 1])
    const clientKey = head.subarray(2)
    const fields = [bytesOf('activate'), server.publicKey, head]
    const es = server.agree(clientKey)
    const [requestKey] = derive('exchange request', [es], fields)
    expect(textOf(open(requestKey, 0, head, message.subarray(34)))).toBe('token')
    const fresh = freshPair()
    const answerHead = Buffer.of(1, 2, ...fresh.publicKey)
    const [answerKey] = derive('exchange answer', [es, fresh.agree(clientKey)], [...fields, message.subarray(-16), answerHead])
    expect(textOf(runToEnd(exchange.open(seal(answerKey, 0, answerHead, bytesOf('bundle')))))).toBe('bundle')
  })

  it('answers the hello message and the requests of a session', () => {
    const server = freshPair()
    const client = pair()
    const session = runToEnd(beginSession(PARTS, { peerId: 'east', keyPair: client }, server.publicKey, 0))!
    const { hello } = session
    const head = hello.subarray(0, 34)
    expect([...head.subarray(0, 2)]).toEqual([1, 3])
    const es = server.agree(head.subarray(2))
    const ss = server.agree(client.publicKey)
    const named = hello.subarray(34, 34 + 'east'.length + 16)
    const proof = hello.subarray(34 + named.length)
    const [nameKey] = derive('hello name', [es], [server.publicKey, head])
    expect(textOf(open(nameKey, 0, head, named))).toBe('east')
    const fields = [server.publicKey, head, named, client.publicKey]
    const [helloKey] = derive('hello', [es, ss], fields)
    expect(open(helloKey, 0, hello.subarray(0, 34 + named.length), proof)).toHaveLength(0)

    const fresh = freshPair()
    const welcomeHead = Buffer.of(1, 4, ...fresh.publicKey)
    const secrets = [es, ss, fresh.agree(head.subarray(2)), fresh.agree(client.publicKey)]
    const [welcomeKey, requests, answers] = derive('session', secrets, [...fields, proof, welcomeHead], 3)
    const sessionId = Buffer.from('8 bytes!')
    expect(runToEnd(session.acceptWelcome(seal(welcomeKey, 0, welcomeHead, sessionId)))).toBe(true)

    for (const counter of [0, 1, 2]) {
      const sealed = runToEnd(session.seal(bytesOf(`request ${counter}`)))!
      const requestHead = Buffer.concat([Buffer.of(1, 5), sessionId, Buffer.of(0, 0, 0, 0, 0, 0, 0, counter)])
      expect(Buffer.from(sealed.message.subarray(0, 18))).toEqual(requestHead)
      expect(textOf(open(requests, counter, requestHead, sealed.message.subarray(18)))).toBe(`request ${counter}`)
      const reply = seal(answers, counter, Buffer.of(1, 6), bytesOf(`answer ${counter}`))
      expect(textOf(runToEnd(sealed.open(reply)))).toBe(`answer ${counter}`)
    }
  })
})
