import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import type { ClientSession } from '../../../src/sys/replication/channel/client-session.ts'
import { MAX_PLAINTEXT_BYTES } from '../../../src/sys/replication/channel/fragments.ts'
import { isUnknownSession, unknownSession } from '../../../src/sys/replication/channel/message.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { answer, bytesOf, connect, greeting, NOW, peerOf, request, Server, spoiled, textOf } from './ends.ts'

describe('a request in a session', () => {
  it('is refused after any change of its bytes, but opened without a change', () => {
    const server = new Server()
    const { message } = request(connect(server, peerOf(server)), 'the request')
    for (const changed of spoiled(message)) {
      // With a changed id the session is unknown, like a forgotten one.
      const expected = idOf(changed) === idOf(message) ? undefined : 'unknown session'
      expect([undefined, expected]).toContain(server.open(changed))
    }
    expect(textOf(server.take(message).plaintext)).toBe('the request')
  })

  it('is opened only once, in whatever order the requests arrive', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const requests = ['a', 'b', 'c', 'd', 'e'].map((text) => request(session, text).message)
    for (const index of [3, 0, 4, 1]) server.take(requests[index]!)
    for (const index of [4, 3, 1, 0, 0]) expect(server.open(requests[index]!)).toBeUndefined()
    expect(textOf(server.take(requests[2]!).plaintext)).toBe('c')
  })

  it('is opened only once if two copies arrive concurrently', () => {
    const server = new Server()
    const sealed = runToEnd(connect(server, peerOf(server)).seal(new Uint8Array(5_000_000)))!
    const both = [1, 2].map(() => server.sessions.open(sealed.message, NOW))
    for (const steps of both) expect(steps.next().done).toBe(false)
    expect(both.map(runToEnd).filter((opened) => opened !== undefined)).toHaveLength(1)
  })

  it('is refused if the server has received requests with 16,384 later nonces before it', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const [first, second] = [request(session, 'first'), request(session, 'second')]
    for (let count = 2; count < 16_384; ) count += skip(session, Math.min(120, 16_384 - count))
    server.take(request(session, 'the last').message)
    expect(server.open(first.message)).toBeUndefined()
    expect(textOf(server.take(second.message).plaintext)).toBe('second')
  })

  it('with several fragments is opened once, and is refused if they are exchanged, missing or from another request', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const [one, two] = [1, 2].map((seed) => runToEnd(session.seal(noise(200_000, seed)))!.message)
    const pieces = (message: Uint8Array) => [0, 1, 2, 3].map((at) => message.slice(18 + at * 65_535, 18 + (at + 1) * 65_535))
    const [a, b, c, d] = pieces(one!)
    const sent = (...parts: readonly (Uint8Array | undefined)[]) =>
      Uint8Array.from(Buffer.concat([one!.subarray(0, 18), ...parts.map((part) => part!)]))
    const refused = [
      sent(a, c, b, d),
      sent(a, b, c),
      sent(a, b, d),
      sent(b, c, d),
      sent(a, b, c, pieces(two!)[3]),
      sent(a, a, b, c, d),
    ]
    for (const message of refused) expect(server.open(message)).toBeUndefined()
    // The nonce of the second fragment is correct here, but the fragment does not begin a request.
    expect(server.open(sent(b, c, d).with(17, one![17]! + 1))).toBeUndefined()
    expect(Buffer.compare(server.take(one!).plaintext, noise(200_000, 1))).toBe(0)
    expect(Buffer.compare(server.take(two!).plaintext, noise(200_000, 2))).toBe(0)
    for (const message of [one!, two!]) expect(server.open(message)).toBeUndefined()
    expect(textOf(server.take(request(session, 'next').message).plaintext)).toBe('next')
  })

  it("is refused in another session, even if it has that session's id", () => {
    const server = new Server()
    const peer = peerOf(server)
    const first = request(connect(server, peer), 'for one').message
    const two = request(connect(server, peer), 'for two').message
    const moved = first.slice()
    moved.set(two.subarray(2, 10), 2)
    expect(server.open(moved)).toBeUndefined()
    expect(textOf(server.take(two).plaintext)).toBe('for two')
    expect(textOf(server.take(first).plaintext)).toBe('for one')
  })

  it('is refused with a changed counter, and the requests with either counter are still accepted', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const first = request(session, 'one').message
    const two = request(session, 'two').message
    const moved = first.slice()
    moved.set(two.subarray(10, 18), 10)
    expect(server.open(moved)).toBeUndefined()
    const far = first.slice()
    far.set([0, 0, 0, 0, 0, 31, 255, 255], 10)
    expect(server.open(far)).toBeUndefined()
    expect([server.take(two), server.take(first)].map(({ plaintext }) => textOf(plaintext))).toEqual(['two', 'one'])
  })

  it('cannot be opened as an answer by its own sender', () => {
    const server = new Server()
    const { message, open } = request(connect(server, peerOf(server)), 'echo')
    expect(open(message)).toBeUndefined()
    expect(open(Uint8Array.of(1, 6, ...message.subarray(10)))).toBeUndefined()
  })

  it('cannot be made from an answer, nor from a hello or a welcome message', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const { message } = request(session, 'question')
    const sealed = answer(server.take(message), 'answer')
    expect(server.open(sealed)).toBeUndefined()
    expect(server.open(Uint8Array.of(...message.subarray(0, 10), ...sealed.subarray(2)))).toBeUndefined()
    for (const other of [session.hello, server.answerHello(session.hello)!])
      expect(server.open(Uint8Array.of(...message.subarray(0, 10), ...other.subarray(2)))).toBeUndefined()
  })

  it('is refused with status 413 if it is too long, as is an answer', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const tooLong = new Uint8Array(8_388_609)
    const refusal = expect.objectContaining({ status: 413 })
    expect(() => runToEnd(session.seal(tooLong))).toThrow(refusal)
    const { message, open } = request(session, 'next')
    const opened = server.take(message)
    expect(() => runToEnd(opened.seal(tooLong))).toThrow(refusal)
    expect(open(answer(opened, 'too long'))).toBe('too long')
  })
})

describe('an answer in a session', () => {
  it('is refused after any change of its bytes, but opened once without a change', () => {
    const server = new Server()
    const { message, open } = request(connect(server, peerOf(server)), 'question')
    const sealed = answer(server.take(message), 'answer')
    for (const changed of spoiled(sealed)) expect(open(changed)).toBeUndefined()
    expect(open(sealed)).toBe('answer')
    expect(open(sealed)).toBeUndefined()
  })

  it('is opened only once if two copies arrive concurrently', () => {
    const server = new Server()
    const sealed = runToEnd(connect(server, peerOf(server)).seal(bytesOf('x')))!
    const reply = runToEnd(server.take(sealed.message).seal(new Uint8Array(5_000_000)))!
    const both = [1, 2].map(() => sealed.open(reply))
    for (const steps of both) expect(steps.next().done).toBe(false)
    expect(both.map(runToEnd).filter((opened) => opened !== undefined)).toHaveLength(1)
  })

  it('is opened only for the request that it answers', () => {
    const server = new Server()
    const peer = peerOf(server)
    const session = connect(server, peer)
    const otherSession = connect(server, peer)
    const [one, two, elsewhere] = [request(session, '1'), request(session, '2'), request(otherSession, '1')]
    const toOne = answer(server.take(one.message), 'to one')
    const toTwo = answer(server.take(two.message), 'to two')
    const toElsewhere = answer(server.take(elsewhere.message), 'elsewhere')
    expect(one.open(toTwo)).toBeUndefined()
    expect(two.open(toOne)).toBeUndefined()
    expect(one.open(toElsewhere)).toBeUndefined()
    expect(elsewhere.open(toOne)).toBeUndefined()
    expect([two.open(toTwo), one.open(toOne), elsewhere.open(toElsewhere)]).toEqual(['to two', 'to one', 'elsewhere'])
  })

  it('is refused if its fragments are exchanged or missing', () => {
    const server = new Server()
    const sealed = runToEnd(connect(server, peerOf(server)).seal(bytesOf('x')))!
    const reply = runToEnd(server.take(sealed.message).seal(noise(150_000)))!
    const [a, b, c] = [0, 1, 2].map((at) => reply.slice(10 + at * 65_535, 10 + (at + 1) * 65_535))
    for (const parts of [[a, b], [b, c], [b, a, c], [a, c], [a, b, c, c], []])
      expect(
        runToEnd(sealed.open(Uint8Array.from(Buffer.concat([reply.subarray(0, 10), ...parts.map((part) => part!)])))),
      ).toBeUndefined()
    expect(runToEnd(sealed.open(reply.with(9, 1)))).toBeUndefined()
    expect(Buffer.compare(runToEnd(sealed.open(reply))!, noise(150_000))).toBe(0)
  })

  it('can be sealed only once, because the client accepts only one', () => {
    const server = new Server()
    const opened = server.take(request(connect(server, peerOf(server)), 'x').message)
    answer(opened, 'yes')
    expect(() => answer(opened, 'no')).toThrow(TypeError)
  })
})

describe('a session of a client', () => {
  it('encrypts and decrypts nothing before its welcome message and after its end', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    expect(runToEnd(session.seal(bytesOf('early')))).toBeUndefined()
    const welcome = server.answerHello(session.hello)!
    runToEnd(session.acceptWelcome(welcome))
    const { message, open } = request(session, 'under way')
    const sealed = answer(server.take(message), 'late')
    session.end()
    session.end()
    expect(open(sealed)).toBeUndefined()
    expect(runToEnd(session.seal(bytesOf('late')))).toBeUndefined()
    expect(runToEnd(session.acceptWelcome(welcome))).toBe(false)
    expect(session.needsRenewal(NOW)).toBe(true)
  })

  it('refuses a welcome message after its end', () => {
    const server = new Server()
    const session = greeting(server, peerOf(server))
    session.end()
    expect(runToEnd(session.acceptWelcome(server.answerHello(session.hello)!))).toBe(false)
    expect(runToEnd(session.seal(bytesOf('x')))).toBeUndefined()
  })

  it('must be renewed after an hour, or if the clock was set back by an hour', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    expect([0, 1, 3_599_999, -3_599_999].map((later) => session.needsRenewal(NOW + later))).toEqual([false, false, false, false])
    expect([3_600_000, 86_400_000, -3_600_000].map((later) => session.needsRenewal(NOW + later))).toEqual([true, true, true])
  })

  it('must be renewed after 32,768 nonces without an answer', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const asked = request(session, 'x')
    for (let sent = 1; sent < 32_768 - 128; ) sent += skip(session)
    skip(session, 127 - 1)
    expect(session.needsRenewal(NOW)).toBe(false)
    request(session, 'the last')
    expect(session.needsRenewal(NOW)).toBe(true)
    expect(asked.open(answer(server.take(asked.message), 'late'))).toBe('late')
    expect(session.needsRenewal(NOW)).toBe(false)
  })

  it('must be renewed if so many answers were lost that their key was replaced twice', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const lose = () => server.take(request(session, 'x').message).seal(LONGEST).next()
    const [one, two] = [request(session, 'one'), request(session, 'two')]
    for (let lost = 0; lost < 131_072 - 128; lost += 128) lose()
    const last = answer(server.take(one.message), 'of the epoch before')
    lose()
    const late = answer(server.take(two.message), 'too late')
    expect(two.open(late)).toBeUndefined()
    expect(session.needsRenewal(NOW)).toBe(true)
    expect(one.open(last)).toBe('of the epoch before')
    expect(two.open(late)).toBe('too late')
  })

  it('has new keys in both directions after 65,536 nonces', () => {
    const server = new Server()
    const session = connect(server, peerOf(server))
    const late = request(session, 'late')
    const lost = request(session, 'lost')
    const kept = answer(server.take(late.message), 'kept')
    for (let sent = 0; sent < 65_536; sent += 128) {
      skip(session)
      server.take(request(session, 'x').message).seal(LONGEST).next()
    }
    const { message, open } = request(session, 'question')
    for (const changed of spoiled(message)) expect([undefined, 'unknown session']).toContain(server.open(changed))
    const sealed = answer(server.take(message), 'answer')
    for (const changed of spoiled(sealed)) expect(open(changed)).toBeUndefined()
    expect(open(message)).toBeUndefined()
    expect(open(sealed)).toBe('answer')
    expect(server.open(message)).toBeUndefined()
    // An answer of the previous epoch can still be opened; a request that is as old is outside of the replay window.
    expect(late.open(kept)).toBe('kept')
    expect(server.open(lost.message)).toBeUndefined()
  })

  it('receives an unencrypted "unknown session" message from a server that no longer has the session', () => {
    const server = new Server()
    const peer = peerOf(server)
    const session = connect(server, peer)
    const again = new Server()
    const { message, open } = request(session, 'x')
    expect(again.open(message)).toBe('unknown session')
    expect(isUnknownSession(unknownSession())).toBe(true)
    expect(open(unknownSession())).toBeUndefined()
    expect(open(answer(server.take(message), 'all the same'))).toBe('all the same')
    for (const bytes of [[], [1], [1, 6], [1, 7, 0], [2, 7]]) expect(isUnknownSession(Uint8Array.from(bytes))).toBe(false)
  })
})

const LONGEST = new Uint8Array(MAX_PLAINTEXT_BYTES)

/** Takes the nonces of a long request without encrypting all of it. Returns their number. */
function skip(session: ClientSession, count = 128): number {
  session.seal(LONGEST.subarray(0, count * 65_518)).next()
  return count
}

const idOf = (message: Uint8Array): string => Buffer.from(message.subarray(2, 10)).toString('hex')
