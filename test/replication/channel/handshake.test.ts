import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { beginSession } from '../../../src/sys/replication/channel/client-session.ts'
import { kindOf } from '../../../src/sys/replication/channel/message.ts'
import fc from '../../fixtures/fast-check.ts'
import { trackedCrypto } from '../../security/recording.ts'
import {
  answer,
  bytesOf,
  connect,
  greeting,
  LOW_ORDER,
  PAIRS,
  PARTS,
  pair,
  partsOf,
  peerOf,
  request,
  Server,
  spoiled,
} from './ends.ts'

describe.each(PAIRS)('a handshake, $name', ({ asking, answering }) => {
  it('creates a session that carries requests and answers', () => {
    const server = new Server(answering)
    const session = connect(server, peerOf(server, 'østen'), asking)
    for (const text of ['one', 'two', '']) {
      const { message, open } = request(session, text)
      const opened = server.take(message)
      expect(opened).toMatchObject({ peerId: 'østen', plaintext: bytesOf(text) })
      expect(open(answer(opened, `${text}?`))).toBe(`${text}?`)
    }
  })
})

describe('a hello message', () => {
  it('is refused after any change of its bytes and creates no session', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    for (const hello of spoiled(session.hello)) expect(server.answerHello(hello)).toBeUndefined()
    expect(server.sessions.size).toBe(0)
    expect(runToEnd(session.acceptWelcome(server.answerHello(session.hello)!))).toBe(true)
  })

  it('gets the same welcome message when it is repeated, and creates no second session', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const welcome = server.answerHello(session.hello)!
    // The transport may change the bytes that it received.
    server.answerHello(session.hello)!.fill(0)
    expect(server.answerHello(session.hello)).toEqual(welcome)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(true)
    server.take(request(session, 'first').message)
    expect(server.answerHello(session.hello)).toEqual(welcome)
    expect(server.sessions.size).toBe(1)
  })

  it('creates only one session if a copy of it arrives while it is being answered', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const keyOf = (peerId: string) => server.peers.get(peerId)
    const both = [1, 2].map(() => server.sessions.answerHello(session.hello, keyOf, 0))
    for (const steps of both) steps.next()
    const [one, two] = both.map(runToEnd)
    expect(one).toBeDefined()
    expect(two).toEqual(one)
    expect(server.sessions.size).toBe(1)
  })

  it('is refused by a server with another key pair', () => {
    const server = new Server()
    const otherServer = new Server()
    const peer = peerOf(server)
    otherServer.peers.set(peer.peerId, peer.keyPair.publicKey)
    expect(otherServer.answerHello(greeting(server, peer).hello)).toBeUndefined()
  })

  it("is refused if its peer is unknown or revoked, or does not have the key registered for the peer's name", () => {
    const server = new Server()
    const peer = peerOf(server)
    expect(server.answerHello(greeting(server, { ...peer, peerId: 'west' }).hello)).toBeUndefined()
    expect(server.answerHello(greeting(server, { ...peer, keyPair: pair() }).hello)).toBeUndefined()
    const { hello } = greeting(server, peer)
    server.peers.delete(peer.peerId)
    expect(server.answerHello(hello)).toBeUndefined()
  })

  it('is refused if its peer is revoked while it is being answered', () => {
    const server = new Server()
    const peer = peerOf(server)
    const steps = server.sessions.answerHello(greeting(server, peer).hello, (peerId) => server.peers.get(peerId), 0)
    expect(steps.next().done).toBe(false)
    server.peers.delete(peer.peerId)
    server.sessions.drop(peer.peerId)
    expect(runToEnd(steps)).toBeUndefined()
    expect(server.sessions.size).toBe(0)
  })

  it("is refused when it is repeated after the peer's key was replaced or removed", () => {
    const server = new Server()
    const peer = peerOf(server)
    const { hello } = greeting(server, peer)
    expect(server.answerHello(hello)).toBeDefined()
    server.peers.set(peer.peerId, pair().publicKey)
    expect(server.answerHello(hello)).toBeUndefined()
    server.peers.delete(peer.peerId)
    expect(server.answerHello(hello)).toBeUndefined()
  })

  it('can contain a peer name of up to 256 bytes', () => {
    const server = new Server()
    const longest = peerOf(server, 'é'.repeat(128))
    expect(server.take(request(connect(server, longest), 'x').message).peerId).toBe(longest.peerId)
    expect(() => greeting(server, peerOf(server, 'x'.repeat(257)))).toThrow(expect.objectContaining({ status: 400 }))
  })

  it('is refused before any cryptographic operation if it is longer than a message with the longest name', () => {
    const crypto = trackedCrypto()
    const server = new Server(partsOf(crypto))
    const { hello } = greeting(server, peerOf(server))
    const before = crypto.made
    expect(server.answerHello(Uint8Array.of(...hello, ...new Uint8Array(256)))).toBeUndefined()
    expect(crypto.made).toBe(before)
    expect(server.answerHello(Uint8Array.of(...hello, 0))).toBeUndefined()
    expect(crypto.made).toBeGreaterThan(before)
  })

  it('is neither created for an invalid server key nor answered for an invalid peer key', () => {
    const server = new Server()
    const peer = peerOf(server)
    const { hello } = greeting(server, peer)
    for (const key of [...LOW_ORDER, new Uint8Array(0), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
      expect(runToEnd(beginSession(PARTS, peer, key, 0))).toBeUndefined()
      server.peers.set(peer.peerId, key)
      expect(server.answerHello(hello)).toBeUndefined()
    }
  })

  it('is refused if its ephemeral key has low order', () => {
    const server = new Server()
    const { hello } = greeting(server, peerOf(server))
    for (const low of LOW_ORDER) {
      const changed = hello.slice()
      changed.set(low, 2)
      expect(server.answerHello(changed)).toBeUndefined()
    }
  })
})

describe('a welcome message', () => {
  it('is refused after any change of its bytes, but accepted once without a change', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const welcome = server.answerHello(session.hello)!
    for (const changed of spoiled(welcome)) expect(runToEnd(session.acceptWelcome(changed))).toBe(false)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(true)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(false)
    expect(server.take(request(session, 'still the same').message).plaintext).toEqual(bytesOf('still the same'))
  })

  it('is refused by another handshake of the same peer with the same server', () => {
    const server = new Server()
    const peer = peerOf(server)
    const firstSession = greeting(server, peer)
    const two = greeting(server, peer)
    expect(runToEnd(firstSession.acceptWelcome(server.answerHello(two.hello)!))).toBe(false)
    expect(runToEnd(firstSession.acceptWelcome(server.answerHello(firstSession.hello)!))).toBe(true)
  })

  it('is refused if the server has another key pair', () => {
    const server = new Server()
    const peer = peerOf(server)
    const impostor = new Server()
    impostor.peers.set(peer.peerId, peer.keyPair.publicKey)
    const welcome = impostor.answerHello(greeting(impostor, peer).hello)!
    expect(runToEnd(greeting(server, peer).acceptWelcome(welcome))).toBe(false)
  })

  it('is refused if its ephemeral key has low order', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const welcome = server.answerHello(session.hello)!
    for (const low of LOW_ORDER) {
      const changed = welcome.slice()
      changed.set(low, 2)
      expect(runToEnd(session.acceptWelcome(changed))).toBe(false)
    }
  })
})

describe('a message of random bytes to the server', () => {
  it('is refused without an exception', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const head = fc.constantFrom([], [1, 3], [1, 4], [1, 5], [1, 6], [1, 7])
    fc.assert(
      fc.property(head, fc.uint8Array({ maxLength: 120 }), (start, rest) => {
        const bytes = Uint8Array.of(...start, ...rest)
        expect(server.answerHello(bytes)).toBeUndefined()
        expect([undefined, 'unknown session']).toContain(server.open(bytes))
        expect(runToEnd(session.acceptWelcome(bytes))).toBe(false)
      }),
    )
  })

  it('is classified as hello, request or unknown by its first bytes', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    expect(kindOf(session.hello)).toBe('hello')
    expect(kindOf(request(session, 'x').message)).toBe('request')
    for (const bytes of [[], [1], [2, 3], [1, 0], [1, 8], [0, 3]]) expect(kindOf(Uint8Array.from(bytes))).toBeUndefined()
  })
})
