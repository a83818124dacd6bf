/** Messages of unauthenticated peers that know the public key of a primary: each costs little, and none blocks the primary. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import { WideObject } from '../../../src/core/json/wide-object.ts'
import { beginExchange } from '../../../src/sys/replication/channel/begin-exchange.ts'
import { isUnknownSession } from '../../../src/sys/replication/channel/message.ts'
import {
  MAX_UNAUTHENTICATED_BYTES,
  MAX_WAITING,
  UnauthenticatedQueue,
} from '../../../src/sys/replication/serve/unauthenticated-queue.ts'
import { pack } from '../../../src/sys/replication/wire/packed.ts'
import { unpack } from '../../../src/sys/replication/wire/unpack.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { PARTS } from '../channel/ends.ts'
import { KINDS, type Kind, tokenOf } from '../failovers/kinds.ts'
import { type Site, Sites } from '../failovers/sites.ts'
import { centerOf } from '../liars/set.ts'

const kind: Kind = KINDS[0]!

let sites: Sites
let primary: Site
beforeAll(async () => {
  sites = new Sites()
  primary = await sites.open()
  await kind.of(primary.kernel).enablePrimary()
})
afterAll(() => sites.close())

const wide = (members: number): WideObject => {
  const object = new WideObject()
  for (let at = 0; at < members; at++) {
    if (at > 0 && at % 16_000 === 0) object.extend()
    object.last[`m${at}`] = 0
  }
  return object
}

/** Contents of an activation message, by size. */
const CONTENTS: Readonly<Record<string, (size: number) => unknown>> = {
  'a number of many digits': (size) => ({ token: BigInt(`1${'0'.repeat(size)}`), key: new Uint8Array(32) }),
  'an object of many members': (size) => ({ token: wide(size), key: wide(size) }),
  'a list of many items': (size) => ({ token: Array.from({ length: size }, () => 0), key: [] }),
  'nested lists': (size) => {
    let value: unknown = 0
    for (let level = 0; level < Math.min(size, 1000); level++) value = [value]
    return value
  },
  'a long text': (size) => ({ token: 'x'.repeat(size), key: new Uint8Array(32) }),
  'long bytes': (size) => ({ token: '', key: new Uint8Array(size) }),
  'a member __proto__': (size) => JSON.parse(`{"__proto__": {"token": "${'x'.repeat(size)}"}}`),
}

/** An activation message to the public key of the primary. */
async function activation(
  content: unknown,
): Promise<{ readonly message: Uint8Array; readonly open: (answer: Uint8Array) => unknown }> {
  const { keys } = await centerOf(primary, kind).membership.member()
  const { activation: context } = centerOf(primary, kind).host.kind
  const exchange = beginExchange(PARTS, keys.identity.publicKey, context)
  const message = runToEnd(exchange.seal(pack(content))) as Uint8Array
  return {
    message,
    open: (answer) => {
      const opened = runToEnd(exchange.open(answer))
      return opened && unpack(opened)?.value
    },
  }
}

const handle = (message: Uint8Array): Promise<Uint8Array> => centerOf(primary, kind).server.handle(message)

describe('an activation message', () => {
  it.each(Object.keys(CONTENTS))(
    'that contains %s is refused with an error if it is short, and gets an empty answer if it is long',
    async (name) => {
      for (const size of [0, 1, 30, 1000, 3000]) {
        const { message, open } = await activation(CONTENTS[name]!(size))
        const answer = await handle(message)
        if (message.length > MAX_UNAUTHENTICATED_BYTES) expect([size, answer.length]).toEqual([size, 0])
        else expect([size, open(answer)]).toMatchObject([size, { refused: { code: 'ERR_INVALID_REQUEST' } }])
      }
    },
  )

  it('that is longer than any token is not decrypted', async () => {
    const { identity } = (await centerOf(primary, kind).membership.member()).keys
    let agreed = 0
    const { agree } = identity
    identity.agree = (key) => {
      agreed++
      return agree.call(identity, key)
    }
    try {
      const { message } = await activation({ token: 'x', key: new Uint8Array(32) })
      for (const bytes of [MAX_UNAUTHENTICATED_BYTES + 1, 65_536, 8_388_608]) {
        const long = new Uint8Array(bytes)
        long.set(message)
        expect(await handle(long)).toHaveLength(0)
      }
      expect(agreed).toBe(0)
      await handle(message)
      expect(agreed).toBe(1)
    } finally {
      identity.agree = agree
    }
  })
})

it('a cluster can join during a flood of unauthenticated messages', async () => {
  const { message } = await activation({ token: 'x', key: new Uint8Array(32) })
  const flood = Array.from({ length: 200 }, () => handle(message))
  const secondary = await sites.open()
  await kind.of(secondary.kernel).enableSecondary({ token: await tokenOf(kind, primary.kernel, 'beside') })
  await Promise.all(flood)
  expect(await kind.of(secondary.kernel).readStatus()).toMatchObject({ mode: 'secondary' })
})

it('unauthenticated messages are processed in order of arrival, whether earlier ones fail or not', async () => {
  const turns = new UnauthenticatedQueue()
  const short = new Uint8Array(10)
  const ends: ((fails: boolean) => void)[] = []
  const work = (): Promise<string> =>
    new Promise((resolve, reject) => ends.push((fails) => (fails ? reject(new Error('it failed')) : resolve('done'))))
  const begun = Array.from({ length: 4 + MAX_WAITING }, () => turns.run(short, work).catch(() => 'failed'))
  expect(await turns.run(short, work)).toBeUndefined()
  expect(await turns.run(new Uint8Array(MAX_UNAUTHENTICATED_BYTES + 1), work)).toBeUndefined()
  for (let done = 0; done < begun.length; done++) {
    expect(ends.length).toBe(Math.min(4 + done, begun.length))
    ends[done]!(done % 2 === 0)
    await begun[done]
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(new Set(await Promise.all(begun))).toEqual(new Set(['done', 'failed']))
  const late = turns.run(short, work)
  ends.at(-1)!(false)
  expect(await late).toBe('done')
})

const HEADS = fc.constantFrom(...Array.from({ length: 8 }, (_, at) => at))

/** Random bytes, or messages that begin like a message of each kind. */
const STRANGE = fc.oneof(
  fc.record({ head: fc.constant(-1), bytes: fc.uint8Array({ maxLength: 300 }), length: fc.constant(0) }),
  fc.record({
    head: HEADS,
    bytes: fc.uint8Array({ minLength: 40, maxLength: 400 }),
    length: fc.constantFrom(0, 500, 4096, 4097, 70_000),
  }),
)
const ACTIVATION = fc.record({ name: fc.constantFrom(...Object.keys(CONTENTS)), size: fc.integer({ min: 0, max: 5000 }) })

it('a primary answers unauthenticated messages only with nothing, a refusal or "unknown session"', async () => {
  const { message: sample } = await activation({})
  const property = fc.asyncProperty(fc.oneof(STRANGE, ACTIVATION), async (sent) => {
    if ('name' in sent) {
      const { message, open } = await activation(CONTENTS[sent.name]!(sent.size))
      const answer = await handle(message)
      if (answer.length > 0) expect(open(answer)).toHaveProperty('refused')
      return
    }
    const message = new Uint8Array(Math.max(sent.bytes.length, sent.length))
    message.set(sent.bytes)
    // The first bytes of a valid message with another kind.
    if (sent.head >= 0) {
      message.set(sample.subarray(0, 2))
      message[1] = sent.head
    }
    const answer = await handle(message)
    expect(answer.length === 0 || isUnknownSession(answer)).toBe(true)
  })
  await fc.assert(property, { numRuns: runs({ quick: 200, slow: 2000, soak: 100_000 }) })
  expect(await kind.of(primary.kernel).readStatus()).toMatchObject({ mode: 'primary' })
})
