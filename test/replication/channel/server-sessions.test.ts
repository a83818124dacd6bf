import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { answer, bytesOf, connect, greeting, NOW, PARTS, peerOf, request, Server, textOf } from './ends.ts'

const isOpened = (server: Server, message: Uint8Array, now = NOW): boolean => typeof server.open(message, now) === 'object'

describe('the sessions of a server', () => {
  it('are limited to eight per peer, of which a ninth replaces the oldest', () => {
    const server = new Server()
    const peer = peerOf(server)
    const otherSession = connect(server, peerOf(server, 'west'))
    const sessions = Array.from({ length: 10 }, () => {
      const session = connect(server, peer)
      server.take(request(session, 'here').message)
      return session
    })
    expect(sessions.map((session) => isOpened(server, request(session, 'x').message))).toEqual([
      false,
      false,
      ...Array(8).fill(true),
    ])
    expect(isOpened(server, request(otherSession, 'x').message)).toBe(true)
    expect(server.sessions.size).toBe(9)
  })

  it('are replaced first if they are unused, so replayed hello messages replace at most one used session', () => {
    const server = new Server()
    const peer = peerOf(server)
    const former = Array.from({ length: 30 }, () => greeting(server, peer).hello)
    const sessions = Array.from({ length: 8 }, () => {
      const session = connect(server, peer)
      server.take(request(session, 'here').message)
      return session
    })
    for (const hello of former) server.answerHello(hello)
    const open = sessions.map((session) => isOpened(server, request(session, 'x').message))
    expect(open).toEqual([false, ...Array(7).fill(true)])
  })

  it('end 70 minutes after their handshake, with or without requests', () => {
    const server = new Server()
    const peer = peerOf(server)
    const session = connect(server, peer)
    expect(isOpened(server, request(session, 'x').message, NOW + 4_199_999)).toBe(true)
    expect(server.open(request(session, 'x').message, NOW + 4_200_000)).toBe('unknown session')
    expect(server.sessions.size).toBe(0)
    const next = connect(server, peer)
    server.sessions.expire(NOW + 4_199_999)
    expect(server.sessions.size).toBe(1)
    server.sessions.expire(NOW + 4_200_000)
    expect(server.sessions.size).toBe(0)
    expect(server.open(request(next, 'x').message)).toBe('unknown session')
    connect(server, peer)
    connect(server, peer, PARTS, NOW + 4_200_000)
    expect(server.sessions.size).toBe(1)
  })

  it('end immediately when their peer is revoked, without affecting sessions of other peers', () => {
    const server = new Server()
    const peer = peerOf(server)
    const otherSession = connect(server, peerOf(server, 'west'))
    const session = connect(server, peer)
    const opened = server.take(request(session, 'under way').message)
    const long = runToEnd(session.seal(new Uint8Array(5_000_000)))!
    const opening = server.sessions.open(long.message, NOW)
    const sealing = server.take(request(session, 'long answer').message).seal(new Uint8Array(5_000_000))
    for (const steps of [opening, sealing]) expect(steps.next().done).toBe(false)
    server.peers.delete(peer.peerId)
    server.sessions.drop(peer.peerId)
    expect(runToEnd(opened.seal(bytesOf('secret')))).toBeUndefined()
    expect(runToEnd(opening)).toBeUndefined()
    expect(runToEnd(sealing)).toBeUndefined()
    expect(server.open(request(session, 'more').message)).toBe('unknown session')
    expect(server.answerHello(session.hello)).toBeUndefined()
    expect(isOpened(server, request(otherSession, 'x').message)).toBe(true)
    server.sessions.drop('nobody')
  })

  it('all end when the server closes', () => {
    const server = new Server()
    const peer = peerOf(server)
    const session = connect(server, peer)
    const opened = server.take(request(session, 'x').message)
    const { hello } = greeting(server, peer)
    const answering = server.sessions.answerHello(hello, (peerId) => server.peers.get(peerId), NOW)
    expect(answering.next().done).toBe(false)
    server.sessions.end()
    server.keyPair.wipe()
    expect(runToEnd(answering)).toBeUndefined()
    expect(runToEnd(opened.seal(bytesOf('x')))).toBeUndefined()
    expect(server.open(request(session, 'x').message)).toBe('unknown session')
    expect(server.answerHello(hello)).toBeUndefined()
    expect(server.sessions.size).toBe(0)
  })

  it('answer concurrent requests of several peers', () => {
    const server = new Server()
    const sessions = ['a', 'b', 'c'].map((peerId) => ({ peerId, session: connect(server, peerOf(server, peerId)) }))
    const requests = sessions.flatMap(({ peerId, session }) =>
      [1, 2, 3].map((n) => ({ peerId, n, ...request(session, `${peerId}${n}`) })),
    )
    const opened = requests.toReversed().map(({ message }) => server.take(message))
    const answers = opened.map((request) => answer(request, `${request.peerId}: ${textOf(request.plaintext)}`)).toReversed()
    expect(requests.map(({ open }, index) => open(answers[index]!))).toEqual(
      requests.map(({ peerId, n }) => `${peerId}: ${peerId}${n}`),
    )
  })
})
