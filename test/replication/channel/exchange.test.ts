import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { answerExchange } from '../../../src/sys/replication/channel/answer-exchange.ts'
import { beginExchange } from '../../../src/sys/replication/channel/begin-exchange.ts'
import type { KeyPair } from '../../../src/sys/replication/channel/key-pair.ts'
import fc from '../../fixtures/fast-check.ts'
import { noise } from '../../unit/crypto/steps.ts'
import { bytesOf, LOW_ORDER, PAIRS, PARTS, pair, spoiled, textOf } from './ends.ts'

const CONTEXT = 'activate'

/** An exchange that has sent its request. */
function requestTo(server: KeyPair, text = 'let me in', parts = PARTS) {
  const exchange = beginExchange(parts, server.publicKey, CONTEXT)
  const message = runToEnd(exchange.seal(bytesOf(text)))!
  return { exchange, message, open: (answer: Uint8Array) => textOf(runToEnd(exchange.open(answer))) }
}

const opened = (server: KeyPair, message: Uint8Array, context = CONTEXT, parts = PARTS) =>
  runToEnd(answerExchange(parts, server, message, context))

const answered = (server: KeyPair, message: Uint8Array, text: string) => runToEnd(opened(server, message)!.seal(bytesOf(text)))!

describe.each(PAIRS)('an exchange, $name', ({ asking, answering }) => {
  it('carries a request to the server and its answer back', () => {
    const server = pair()
    const { message, open } = requestTo(server, 'let me in', asking)
    const there = opened(server, message, CONTEXT, answering)!
    expect(textOf(there.request)).toBe('let me in')
    expect(open(runToEnd(there.seal(bytesOf('welcome')))!)).toBe('welcome')
  })
})

describe('an exchange', () => {
  const server = pair()

  it('cannot be opened by a server with another key or for another context', () => {
    const { message } = requestTo(server)
    expect(opened(pair(), message)).toBeUndefined()
    for (const context of ['', 'activat', 'activate2']) expect(opened(server, message, context)).toBeUndefined()
  })

  it("is refused by the server after any change of the request's bytes", () => {
    for (const message of spoiled(requestTo(server, 'key').message)) expect(opened(server, message)).toBeUndefined()
  })

  it('refuses a changed answer, and still opens the unchanged answer once', () => {
    const { message, open } = requestTo(server)
    const answer = answered(server, message, 'yes')
    for (const changed of spoiled(answer)) expect(open(changed)).toBeUndefined()
    expect(open(answer)).toBe('yes')
    expect(open(answer)).toBeUndefined()
  })

  it('opens an answer only once in two concurrent calls, and never after its end', () => {
    for (const ends of [false, true]) {
      const { exchange, message } = requestTo(server)
      const answer = runToEnd(opened(server, message)!.seal(new Uint8Array(5_000_000)))!
      const both = [1, 2].map(() => exchange.open(answer))
      for (const steps of both) expect(steps.next().done).toBe(false)
      if (ends) exchange.end()
      expect(both.map(runToEnd).filter((plaintext) => plaintext !== undefined)).toHaveLength(ends ? 0 : 1)
    }
  })

  it('does not open the answer to another request, or a request as an answer', () => {
    const first = requestTo(server)
    const two = requestTo(server)
    expect(first.open(answered(server, two.message, 'for two'))).toBeUndefined()
    expect(first.open(first.message)).toBeUndefined()
    expect(opened(server, answered(server, first.message, 'an answer'))).toBeUndefined()
    expect(first.open(answered(server, first.message, 'for one'))).toBe('for one')
  })

  it('does not open an answer from a server with another key', () => {
    const { open } = requestTo(server)
    const impostor = pair()
    expect(open(answered(impostor, requestTo(impostor).message, 'no'))).toBeUndefined()
  })

  it('encrypts two answers to a repeated request under different keys', () => {
    const { message } = requestTo(server)
    const first = answered(server, message, 'the first answer')
    const two = answered(server, message, 'the other answer')
    expect(first.subarray(2, 34)).not.toEqual(two.subarray(2, 34))
    // With the same key and nonce the ciphertexts would differ exactly like the plaintexts.
    const difference = (a: Uint8Array, b: Uint8Array) => a.map((byte, index) => byte ^ b[index]!)
    const plain = difference(bytesOf('the first answer'), bytesOf('the other answer'))
    expect(difference(first.subarray(51, 67), two.subarray(51, 67))).not.toEqual(plain)
  })

  it('carries a request of up to 65,487 bytes and a long answer, and refuses longer ones with status 413', () => {
    const refusal = expect.objectContaining({ status: 413 })
    const exchange = beginExchange(PARTS, server.publicKey, CONTEXT)
    expect(() => runToEnd(exchange.seal(new Uint8Array(65_488)))).toThrow(refusal)
    const message = runToEnd(exchange.seal(new Uint8Array(65_487)))!
    expect(message).toHaveLength(65_537)
    const there = opened(server, message)!
    expect(there.request).toHaveLength(65_487)
    expect(() => runToEnd(there.seal(new Uint8Array(8_388_609)))).toThrow(refusal)
    const answer = noise(1_000_000)
    const sealed = runToEnd(there.seal(answer))!
    for (const at of [2, 40, 50, 51, 65_000, 70_000, 1_000_000])
      expect(runToEnd(exchange.open(sealed.with(at, sealed[at]! ^ 1)))).toBeUndefined()
    for (const length of [50, 50 + 65_535, sealed.length - 1])
      expect(runToEnd(exchange.open(sealed.subarray(0, length)))).toBeUndefined()
    expect(Buffer.compare(runToEnd(exchange.open(sealed))!, answer)).toBe(0)
    expect(opened(server, Uint8Array.of(...message, 0))).toBeUndefined()
  })

  it('throws when a second request or a second answer is sealed', () => {
    const { exchange, message } = requestTo(server)
    expect(() => runToEnd(exchange.seal(bytesOf('again')))).toThrow(TypeError)
    const there = opened(server, message)!
    runToEnd(there.seal(bytesOf('yes')))
    expect(() => runToEnd(there.seal(bytesOf('no')))).toThrow(TypeError)
  })

  it('seals and opens nothing for an invalid server key', () => {
    for (const low of [...LOW_ORDER, new Uint8Array(0), new Uint8Array(33).fill(1)]) {
      const exchange = beginExchange(PARTS, low, CONTEXT)
      expect(runToEnd(exchange.seal(bytesOf('secret')))).toBeUndefined()
      expect(runToEnd(exchange.open(Uint8Array.of(1, 2, ...pair().publicKey, ...new Uint8Array(16))))).toBeUndefined()
    }
  })

  it('refuses a request or answer whose ephemeral key has low order', () => {
    const { message, open } = requestTo(server)
    const answer = answered(server, message, 'yes')
    for (const low of LOW_ORDER) {
      const asking = message.slice()
      asking.set(low, 2)
      expect(opened(server, asking)).toBeUndefined()
      const answering = answer.slice()
      answering.set(low, 2)
      expect(open(answering)).toBeUndefined()
    }
  })

  it('seals and opens nothing after it has ended', () => {
    const { exchange, message, open } = requestTo(server)
    const there = opened(server, message)!
    const answer = runToEnd(there.seal(bytesOf('yes')))!
    exchange.end()
    exchange.end()
    expect(open(answer)).toBeUndefined()
    const silent = opened(server, message)!
    silent.end()
    expect(runToEnd(silent.seal(bytesOf('yes')))).toBeUndefined()
  })

  it('returns undefined instead of throwing when it opens a message of random bytes', () => {
    const { open } = requestTo(server)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
        expect(opened(server, Uint8Array.of(1, 1, ...bytes))).toBeUndefined()
        expect(open(Uint8Array.of(1, 2, ...bytes))).toBeUndefined()
      }),
    )
  })
})
