/**
 * A transport that loses, repeats, delays, reorders and changes messages between several peers and a server that forgets sessions. Every
 * accepted message was sent by that peer and is accepted once, and every accepted answer belongs to its request.
 */

import { describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import type { ClientSession } from '../../../src/sys/replication/channel/client-session.ts'
import { unknownSession } from '../../../src/sys/replication/channel/message.ts'
import type { ChannelParts } from '../../../src/sys/replication/channel/parts.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { answer, bytesOf, greeting, NOW, PAIRS, type Peer, peerOf, Server, textOf } from './ends.ts'

const RUNS = runs({ quick: 12, soak: 400 })

type Step = readonly [kind: 'send' | 'deliver' | 'spoil' | 'greet' | 'forget' | 'drop', a: number, b: number]

/** Selects a message by its age; new ones are the most likely. */
const age = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 4 }) }, { weight: 1, arbitrary: fc.nat({ max: 1_000 }) })

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 10, arbitrary: fc.constant('send' as const) },
      { weight: 30, arbitrary: fc.constant('deliver' as const) },
      { weight: 4, arbitrary: fc.constant('spoil' as const) },
      { weight: 2, arbitrary: fc.constant('greet' as const) },
      { weight: 1, arbitrary: fc.constantFrom('forget' as const, 'drop' as const) },
    ),
    age,
    age,
  ),
  { minLength: 60, maxLength: 120 },
)

interface PendingRequest {
  readonly peer: number
  readonly text: string
  readonly open: (bytes: Uint8Array) => string | undefined
}

class Run {
  readonly #server: Server
  readonly #peers: readonly Peer[]
  readonly #sessions: (ClientSession | undefined)[] = []
  readonly #pending = new Map<string, PendingRequest>()
  readonly #answers = new Map<string, string>()
  readonly #got = new Set<string>()
  /** All messages ever sent in either direction. Any of them may arrive anywhere at any time. */
  readonly #wire: Uint8Array[] = [unknownSession()]
  readonly #parts: ChannelParts

  constructor({ asking, answering }: (typeof PAIRS)[number]) {
    this.#server = new Server(answering)
    this.#parts = asking
    this.#peers = ['east', 'west'].map((peerId) => peerOf(this.#server, peerId))
    for (const peer of [0, 1]) {
      this.#greet(peer)
      for (const age of [0, 0]) this.#deliver(this.#aged(age))
    }
  }

  /** The number of received answers. */
  get got(): number {
    return this.#got.size
  }

  do([kind, a, b]: Step): void {
    if (kind === 'greet') this.#greet(a % 2)
    if (kind === 'send') this.#send(a % 2)
    if (kind === 'deliver') this.#deliver(this.#aged(a))
    if (kind === 'spoil') this.#spoil(a, b)
    if (kind === 'drop') this.#server.sessions.drop(this.#peers[a % 2]!.peerId)
    if (kind === 'forget') this.#server.sessions.expire(NOW + 86_400_000)
  }

  #aged(age: number): Uint8Array {
    return this.#wire.at(-1 - (age % this.#wire.length))!
  }

  #greet(peer: number): void {
    this.#sessions[peer] = greeting(this.#server, this.#peers[peer]!, this.#parts)
    this.#wire.push(this.#sessions[peer].hello)
  }

  #send(peer: number): void {
    const text = `${this.#pending.size} of ${this.#peers[peer]!.peerId}`
    const session = this.#sessions[peer]
    const sealed = session && runToEnd(session.seal(bytesOf(text)))
    if (sealed) {
      this.#pending.set(text, { peer, text, open: (answer) => textOf(runToEnd(sealed.open(answer))) })
      this.#wire.push(sealed.message)
    } else if (session === undefined) this.#greet(peer)
  }

  #deliver(message: Uint8Array): void {
    const welcome = this.#server.answerHello(message)
    if (welcome) this.#wire.push(welcome)
    const opened = this.#server.open(message)
    if (opened === 'unknown session') this.#wire.push(unknownSession())
    else if (opened) {
      const text = textOf(opened.plaintext)!
      const pending = this.#pending.get(text)
      expect(pending && this.#peers[pending.peer]!.peerId).toBe(opened.peerId)
      expect(this.#answers.has(text)).toBe(false)
      this.#answers.set(text, `answer to ${text}`)
      this.#wire.push(answer(opened, `answer to ${text}`))
    }
    for (const session of this.#sessions) if (session) runToEnd(session.acceptWelcome(message))
    for (const { text, open } of this.#pending.values()) {
      const reply = open(message)
      if (reply === undefined) continue
      expect(reply).toBe(this.#answers.get(text))
      expect(this.#got.has(text)).toBe(false)
      this.#got.add(text)
    }
  }

  /** Flips one bit, or combines the beginning of one message with the end of another. */
  #spoil(a: number, b: number): void {
    const message = this.#aged(a).slice()
    const cut = b % 40
    const spoiled =
      b % 2 === 0
        ? message.with(b % message.length, message[b % message.length]! ^ (1 << (a & 7)))
        : Uint8Array.of(...message.subarray(0, cut), ...this.#aged(a + b).subarray(cut))
    if (this.#wire.every((sent) => Buffer.compare(sent, spoiled) !== 0)) this.#deliver(spoiled)
  }
}

describe.each(PAIRS.slice(1, 3))('a channel over an untrusted transport, $name', (backends) => {
  it('accepts only plaintexts that were sent, each only once', () => {
    let got = 0
    fc.assert(
      fc.property(steps, (all) => {
        const run = new Run(backends)
        for (const step of all) run.do(step)
        got += run.got
      }),
      { numRuns: RUNS },
    )
    // Otherwise the test would have checked nothing.
    expect(got).toBeGreaterThan(RUNS)
  })
})
