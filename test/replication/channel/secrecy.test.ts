/**
 * Messages and inspected objects contain no plaintext and no key, and keys are wiped when they are no longer needed.
 */
import { describe, expect, it, vi } from 'vitest'
import { type Entropy, systemEntropy } from '../../../src/core/base/entropy.ts'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { answerExchange } from '../../../src/sys/replication/channel/answer-exchange.ts'
import { beginExchange } from '../../../src/sys/replication/channel/begin-exchange.ts'
import { openBox, sealTo } from '../../../src/sys/replication/channel/box.ts'
import { beginSession } from '../../../src/sys/replication/channel/client-session.ts'
import { Haystack } from '../../security/haystack.ts'
import { trackedCrypto } from '../../security/recording.ts'
import { answer, bytesOf, connect, greeting, LOW_ORDER, PARTS, pair, partsOf, peerOf, request, Server, textOf } from './ends.ts'

/** Records inputs and outputs of key derivations, the copies of X25519 keys, and every agreed secret. */
function watchedCrypto() {
  const crypto = trackedCrypto()
  const derived = new Set<Uint8Array>()
  const agreements = new Set<Uint8Array>()
  const hkdf: typeof crypto.hkdf = (hash, ikm, salt, info, length) => {
    const key = crypto.hkdf(hash, ikm, salt, info, length)
    for (const bytes of [ikm, salt, key]) if (bytes) derived.add(bytes)
    return key
  }
  const x25519: typeof crypto.x25519 = (secretKey) => {
    const key = copied(secretKey, () => crypto.x25519(secretKey), agreements)
    const { agree } = key
    key.agree = (publicKey) => {
      const secret = agree.call(key, publicKey)
      if (secret) agreements.add(secret)
      return secret
    }
    return key
  }
  return { crypto: { ...crypto, hkdf, x25519 }, derived, agreements }
}

/** Records the first copy of the secret key, which is the one that the key keeps. The library makes further copies later. */
function copied<T>(secretKey: Uint8Array, make: () => T, copies: Set<Uint8Array>): T {
  const from = vi.spyOn(Uint8Array, 'from')
  try {
    const made = make()
    const kept: Uint8Array = from.mock.results[0]?.value
    expect(kept).toEqual(secretKey)
    copies.add(kept)
    return made
  } finally {
    from.mockRestore()
  }
}

const living = (arrays: Iterable<Uint8Array>): number => [...arrays].filter((bytes) => bytes.some((byte) => byte !== 0)).length

/** Records every returned array, so that a test can see whether it was wiped. */
function watchedEntropy(): Entropy & { readonly keys: Uint8Array[]; readonly copies: Uint8Array[] } {
  const inner = systemEntropy()
  const keys: Uint8Array[] = []
  const copies: Uint8Array[] = []
  return {
    keys,
    copies,
    bytes(n) {
      const bytes = inner.bytes(n)
      if (n === 32) {
        keys.push(bytes)
        copies.push(bytes.slice())
      }
      return bytes
    },
  }
}

/** Uses every function of a channel. `told` receives the objects in each state. */
function everything(parts = PARTS, inspected: (name: string, seen: unknown) => void = () => {}, texts = TEXTS) {
  const server = new Server(parts)
  const peer = peerOf(server, texts.peerId)
  const box = runToEnd(sealTo(parts, server.keyPair.publicKey, bytesOf(texts.box), 'context'))!
  expect(textOf(runToEnd(openBox(parts, server.keyPair, box, 'context')))).toBe(texts.box)
  const exchange = beginExchange(parts, server.keyPair.publicKey, 'context')
  const asking = runToEnd(exchange.seal(bytesOf(texts.request)))!
  const there = runToEnd(answerExchange(parts, server.keyPair, asking, 'context'))!
  const back = runToEnd(there.seal(bytesOf(texts.answer)))!
  inspected('an exchange', [exchange, there.seal])
  expect(textOf(runToEnd(exchange.open(back)))).toBe(texts.answer)
  const session = greeting(server, peer, parts)
  inspected('a session before its welcome', session)
  const welcome = server.answerHello(session.hello)!
  runToEnd(session.acceptWelcome(welcome))
  const sealed = request(session, texts.request)
  const opened = server.take(sealed.message)
  const reply = answer(opened, texts.answer)
  inspected('a session', [session, server.sessions, opened.seal, sealed.open])
  expect(sealed.open(reply)).toBe(texts.answer)
  return { server, session, messages: [box, asking, back, session.hello, welcome, sealed.message, reply] }
}

const TEXTS = {
  peerId: 'name of the peer',
  box: 'what is in the box',
  request: 'what is asked for',
  answer: 'what is answered!',
}

const WORD = 8

/** The number of live keys that belong to the key pairs of the server and the peer. */
const OWN = 2

describe('a secure channel between two peers', () => {
  it('sends no eight consecutive bytes of a plaintext', () => {
    for (const message of everything().messages) {
      const seen = Buffer.from(message)
      for (const text of Object.values(TEXTS))
        for (let at = 0; at + WORD <= text.length; at++) expect(seen.includes(text.slice(at, at + WORD))).toBe(false)
    }
  })

  it('neither sends a key nor shows one when it is inspected', () => {
    const entropy = watchedEntropy()
    const haystack = new Haystack()
    const { messages } = everything(partsOf(PARTS.crypto, entropy), (name, seen) => haystack.add(name, seen))
    for (const message of messages) haystack.add('a message', message)
    expect(haystack.find(entropy.copies.map((bytes, index) => ({ name: `key ${index}`, bytes })))).toEqual([])
    expect(entropy.copies.length).toBeGreaterThanOrEqual(5)
  })

  it('wipes the keys of each message immediately, and the keys of a session at its end', () => {
    const entropy = watchedEntropy()
    const crypto = trackedCrypto()
    const { server, session } = everything(partsOf(crypto, entropy))
    expect(crypto.made).toBeGreaterThanOrEqual(16)
    expect(crypto.alive).toBe(4 + OWN)
    session.end()
    expect(crypto.alive).toBe(2 + OWN)
    server.sessions.end()
    expect(crypto.alive).toBe(OWN)
    for (const bytes of entropy.keys) expect(bytes).toEqual(new Uint8Array(32))
  })

  it('wipes all ephemeral keys and shared secrets of the handshake once the session is established', () => {
    const { crypto, derived, agreements } = watchedCrypto()
    everything(partsOf(crypto))
    expect(derived.size).toBeGreaterThanOrEqual(20)
    expect(living(derived)).toBe(0)
    expect(agreements.size).toBeGreaterThanOrEqual(20)
    expect(living(agreements)).toBe(OWN)
  })

  it('wipes all ephemeral keys and shared secrets of a handshake that is refused or aborted', () => {
    const { crypto, derived, agreements } = watchedCrypto()
    const parts = partsOf(crypto)
    const server = new Server(parts)
    const peer = peerOf(server)
    agreements.clear()
    const sessions = [greeting(server, peer, parts), greeting(server, { ...peer, peerId: 'nobody' }, parts)]
    for (const { hello } of sessions) for (const at of [5, 40, 60]) server.answerHello(hello.with(at, hello[at]! ^ 1))
    const welcome = server.answerHello(sessions[0]!.hello)!
    server.answerHello(sessions[1]!.hello)
    for (const at of [5, 40]) runToEnd(sessions[0]!.acceptWelcome(welcome.with(at, welcome[at]! ^ 1)))
    const exchange = beginExchange(parts, server.keyPair.publicKey, 'context')
    const message = runToEnd(exchange.seal(bytesOf('x')))!
    for (const context of ['another', 'context']) runToEnd(answerExchange(parts, server.keyPair, message, context))?.end()
    runToEnd(exchange.open(Uint8Array.of(1, 2, ...message.subarray(2))))
    for (const each of [...sessions, exchange]) each.end()
    for (const low of LOW_ORDER.slice(0, 2)) expect(runToEnd(beginSession(parts, peer, low, 0))).toBeUndefined()
    expect(agreements.size).toBeGreaterThanOrEqual(20)
    expect(living(agreements)).toBe(0)
    expect(living(derived)).toBe(0)
  })

  it('releases all key handles of a handshake that is refused or aborted', () => {
    const crypto = trackedCrypto()
    const parts = partsOf(crypto)
    const server = new Server(parts)
    const peer = peerOf(server)
    const session = greeting(server, peer, parts)
    const welcome = server.answerHello(session.hello)!
    // The session keys on the server, and the ephemeral key on the client.
    expect(crypto.alive).toBe(OWN + 2 + 1)
    for (const bytes of [welcome.with(40, welcome[40]! ^ 1), welcome.with(10, welcome[10]! ^ 1)])
      runToEnd(session.acceptWelcome(bytes))
    for (const at of [5, 40, 60]) server.answerHello(session.hello.with(at, session.hello[at]! ^ 1))
    const strangers = [{ peerId: 'nobody' }, { keyPair: pair() }].map((other) => greeting(server, { ...peer, ...other }, parts))
    for (const { hello } of strangers) server.answerHello(hello)
    const exchange = beginExchange(parts, server.keyPair.publicKey, 'context')
    const message = runToEnd(exchange.seal(bytesOf('x')))!
    runToEnd(answerExchange(parts, server.keyPair, message, 'another'))
    runToEnd(exchange.open(message))
    runToEnd(openBox(parts, server.keyPair, message, 'context'))
    for (const part of [session, ...strangers, exchange]) part.end()
    expect(crypto.alive).toBe(OWN + 2)
    server.sessions.drop(peer.peerId)
    expect(crypto.alive).toBe(OWN)
  })

  it('uses different keys in each session between the same two peers', () => {
    const server = new Server()
    const peer = peerOf(server)
    const [one, two] = [connect(server, peer), connect(server, peer)].map((session) =>
      request(session, 'the same').message.subarray(18),
    )
    expect(one).not.toEqual(two)
  })
})
