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
  it('makes a session that carries requests and answers', () => {
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

describe('a hello', () => {
  it('of which anything was changed is refused and makes no session', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    for (const hello of spoiled(session.hello)) expect(server.answerHello(hello)).toBeUndefined()
    expect(server.sessions.size).toBe(0)
    expect(runToEnd(session.acceptWelcome(server.answerHello(session.hello)!))).toBe(true)
  })

  it('that is repeated gets the same welcome and makes no second session', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const welcome = server.answerHello(session.hello)!
    // What the transport does to its bytes is its own affair.
    server.answerHello(session.hello)!.fill(0)
    expect(server.answerHello(session.hello)).toEqual(welcome)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(true)
    server.take(request(session, 'first').message)
    expect(server.answerHello(session.hello)).toEqual(welcome)
    expect(server.sessions.size).toBe(1)
  })

  it('that is repeated while the first is being answered makes one session, too', () => {
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

  it('to another server is refused', () => {
    const server = new Server()
    const other = new Server()
    const peer = peerOf(server)
    other.peers.set(peer.peerId, peer.keyPair.publicKey)
    expect(other.answerHello(greeting(server, peer).hello)).toBeUndefined()
  })

  it('of somebody who is not known, was revoked, or has not the key of the name is refused', () => {
    const server = new Server()
    const peer = peerOf(server)
    expect(server.answerHello(greeting(server, { ...peer, peerId: 'west' }).hello)).toBeUndefined()
    expect(server.answerHello(greeting(server, { ...peer, keyPair: pair() }).hello)).toBeUndefined()
    const { hello } = greeting(server, peer)
    server.peers.delete(peer.peerId)
    expect(server.answerHello(hello)).toBeUndefined()
  })

  it('of a peer that is revoked while it is answered is refused', () => {
    const server = new Server()
    const peer = peerOf(server)
    const steps = server.sessions.answerHello(greeting(server, peer).hello, (peerId) => server.peers.get(peerId), 0)
    expect(steps.next().done).toBe(false)
    server.peers.delete(peer.peerId)
    server.sessions.drop(peer.peerId)
    expect(runToEnd(steps)).toBeUndefined()
    expect(server.sessions.size).toBe(0)
  })

  it('that is repeated after the peer was given another key, or none, is refused', () => {
    const server = new Server()
    const peer = peerOf(server)
    const { hello } = greeting(server, peer)
    expect(server.answerHello(hello)).toBeDefined()
    server.peers.set(peer.peerId, pair().publicKey)
    expect(server.answerHello(hello)).toBeUndefined()
    server.peers.delete(peer.peerId)
    expect(server.answerHello(hello)).toBeUndefined()
  })

  it('takes a name of 256 bytes and none that is longer', () => {
    const server = new Server()
    const longest = peerOf(server, 'é'.repeat(128))
    expect(server.take(request(connect(server, longest), 'x').message).peerId).toBe(longest.peerId)
    expect(() => greeting(server, peerOf(server, 'x'.repeat(257)))).toThrow(expect.objectContaining({ status: 400 }))
  })

  it('that is longer than any name makes it is refused before anything is computed', () => {
    const crypto = trackedCrypto()
    const server = new Server(partsOf(crypto))
    const { hello } = greeting(server, peerOf(server))
    const before = crypto.made
    expect(server.answerHello(Uint8Array.of(...hello, ...new Uint8Array(256)))).toBeUndefined()
    expect(crypto.made).toBe(before)
    expect(server.answerHello(Uint8Array.of(...hello, 0))).toBeUndefined()
    expect(crypto.made).toBeGreaterThan(before)
  })

  it('is not made for a server key that is none, and not answered for a peer key that is none', () => {
    const server = new Server()
    const peer = peerOf(server)
    const { hello } = greeting(server, peer)
    for (const key of [...LOW_ORDER, new Uint8Array(0), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
      expect(runToEnd(beginSession(PARTS, peer, key, 0))).toBeUndefined()
      server.peers.set(peer.peerId, key)
      expect(server.answerHello(hello)).toBeUndefined()
    }
  })

  it('with an ephemeral key of low order is refused', () => {
    const server = new Server()
    const { hello } = greeting(server, peerOf(server))
    for (const low of LOW_ORDER) {
      const changed = hello.slice()
      changed.set(low, 2)
      expect(server.answerHello(changed)).toBeUndefined()
    }
  })
})

describe('a welcome', () => {
  it('of which anything was changed is refused, and the true one is taken after that, once', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    const welcome = server.answerHello(session.hello)!
    for (const changed of spoiled(welcome)) expect(runToEnd(session.acceptWelcome(changed))).toBe(false)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(true)
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(false)
    expect(server.take(request(session, 'still the same').message).plaintext).toEqual(bytesOf('still the same'))
  })

  it('to another hello of the same peer is refused', () => {
    const server = new Server()
    const peer = peerOf(server)
    const one = greeting(server, peer)
    const two = greeting(server, peer)
    expect(runToEnd(one.acceptWelcome(server.answerHello(two.hello)!))).toBe(false)
    expect(runToEnd(one.acceptWelcome(server.answerHello(one.hello)!))).toBe(true)
  })

  it('of somebody who has not the key of the server is refused', () => {
    const server = new Server()
    const peer = peerOf(server)
    const impostor = new Server()
    impostor.peers.set(peer.peerId, peer.keyPair.publicKey)
    const welcome = impostor.answerHello(greeting(impostor, peer).hello)!
    expect(runToEnd(greeting(server, peer).acceptWelcome(welcome))).toBe(false)
  })

  it('with an ephemeral key of low order is refused', () => {
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

describe('whatever comes', () => {
  it('is taken without a complaint', () => {
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

  it('is told by its kind', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    expect(kindOf(session.hello)).toBe('hello')
    expect(kindOf(request(session, 'x').message)).toBe('request')
    for (const bytes of [[], [1], [2, 3], [1, 0], [1, 8], [0, 3]]) expect(kindOf(Uint8Array.from(bytes))).toBeUndefined()
  })
})
