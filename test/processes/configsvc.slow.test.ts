/**
 * Two processes with a configuration service each on one store. They must agree on names, indexes and tokens, and a write in one must wake
 * blocking queries in the other.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KernelRequest } from '../../src/index.ts'
import { type Child, startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import type { Place } from '../fixtures/places.ts'
import { runs } from '../fixtures/runs.ts'
import type { ChildMessage, ServiceArguments } from './configsvc.child.ts'
import { onEachStore } from './on-each-store.ts'

const ROOT = '5ec2e700-1111-4222-8333-444455556666'
const BOUND = 150
const NAMES = runs({ quick: 30, soak: 300 })
const LANES = 5
const WRITERS = 64
const ROUNDS = runs({ quick: 5, soak: 50 })
const PROGRAM = 'test/processes/configsvc.child.ts'

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its answers.
  readonly body: any
  readonly index: string | undefined
}

/** A service in another process. */
class Remote {
  readonly opened: Promise<void>
  readonly #child: Child
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #next = 0

  constructor(args: ServiceArguments) {
    this.#child = startChild(PROGRAM, args)
    this.opened = new Promise((resolve, reject) => {
      this.#hear(resolve).catch(reject)
      this.#child.ended.catch(reject)
    })
  }

  async #hear(opened: () => void): Promise<void> {
    for await (const message of this.#child.messages as AsyncIterable<ChildMessage>) {
      if (message.type === 'open') opened()
      else this.#waiting.get(message.id)?.(message)
    }
  }

  /** Sends a request to the ACL API. */
  ask(method: string, path: string, body?: unknown, more: Partial<KernelRequest> & { secret?: string } = {}): Promise<Answer> {
    return this.send(method, `acl/${path}`, body, more)
  }

  send(method: string, path: string, body?: unknown, more: Partial<KernelRequest> & { secret?: string } = {}): Promise<Answer> {
    const id = this.#next++
    const { secret = ROOT, ...rest } = more
    const request = { method, path: `/v1/${path}`, headers: { 'X-Config-Token': secret }, ...rest }
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#child.send({ id, request: body === undefined ? request : { ...request, body } })
    })
  }

  async end(): Promise<void> {
    this.#child.send('end')
    expect(await this.#child.ended).toBe('done')
  }
}

beforeAll(() => {
  compiled(PROGRAM)
})

onEachStore('two processes with a configuration service', (open) => {
  let place: Place
  let firstRemote: Remote
  let secondRemote: Remote

  beforeAll(async () => {
    place = await open()
    const args = { where: place.where, bootstrapToken: ROOT, bound: BOUND }
    // Both initialize an empty store at the same time.
    firstRemote = new Remote(args)
    secondRemote = new Remote(args)
    await Promise.all([firstRemote.opened, secondRemote.opened])
  })
  afterAll(async () => {
    await Promise.all([firstRemote.end(), secondRemote.end()])
    await place.remove()
  })

  it('create each role name only once, with strictly increasing indexes', async () => {
    const made: { readonly index: number; readonly start: number; readonly end: number }[] = []
    const make = async (remote: Remote, Name: string): Promise<number> => {
      const start = performance.now()
      const { status, body } = await remote.ask('PUT', 'role', { Name })
      if (status === 200) made.push({ index: body.CreateIndex, start, end: performance.now() })
      else expect([status, body]).toEqual([400, expect.stringContaining('already exists')])
      return status
    }
    const lane = async (at: number): Promise<void> => {
      for (let i = at; i < NAMES; i += LANES) {
        const both = await Promise.all([make(firstRemote, `Role-${i}`), make(secondRemote, `role-${i}`)])
        expect(both.sort()).toEqual([200, 400])
      }
    }
    await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)))
    expect(new Set(made.map(({ index }) => index)).size).toBe(NAMES)
    for (const a of made) for (const b of made) if (a.end < b.start) expect(a.index).toBeLessThan(b.index)
    const lists = await Promise.all(
      [firstRemote, secondRemote].map((remote) => remote.ask('GET', 'roles', undefined, { query: { consistent: '' } })),
    )
    expect(lists[0]?.body).toHaveLength(NAMES)
    expect(lists[0]?.body).toEqual(lists[1]?.body)
  })

  it('accept a token that the other process created, and refuse it within the staleness bound after its deletion', async () => {
    const all = await firstRemote.ask('PUT', 'policy', { Name: 'reading', Rules: 'acl = "read"' })
    for (const [maker, user] of [
      [firstRemote, secondRemote],
      [secondRemote, firstRemote],
    ] as const) {
      const { SecretID: secret, AccessorID } = (await maker.ask('PUT', 'token', { Policies: [{ ID: all.body.ID }] })).body
      await sleep(BOUND)
      expect(await user.ask('GET', 'roles', undefined, { secret })).toMatchObject({ status: 200 })
      expect(await maker.ask('DELETE', `token/${AccessorID}`)).toMatchObject({ status: 200, body: true })
      await sleep(BOUND)
      expect(await user.ask('GET', 'roles', undefined, { secret })).toMatchObject({ status: 403 })
      expect(await user.ask('GET', 'token/self', undefined, { secret })).toMatchObject({ status: 403 })
    }
  })

  it('refuse a write immediately if the other process has deleted its token', async () => {
    const writing = await firstRemote.ask('PUT', 'policy', { Name: 'writing', Rules: 'acl = "write"' })
    const { SecretID: secret, AccessorID } = (await firstRemote.ask('PUT', 'token', { Policies: [{ ID: writing.body.ID }] })).body
    expect(await secondRemote.ask('PUT', 'role', { Name: 'by-it' }, { secret })).toMatchObject({ status: 200 })
    await firstRemote.ask('DELETE', `token/${AccessorID}`)
    expect(await secondRemote.ask('PUT', 'role', { Name: 'by-it-later' }, { secret })).toMatchObject({ status: 403 })
  })

  it('end a blocking query when the other process writes', async () => {
    for (const [writer, reader] of [
      [firstRemote, secondRemote],
      [secondRemote, firstRemote],
    ] as const) {
      const { index } = await writer.ask('GET', 'policies', undefined, { query: { consistent: '' } })
      const waiting = reader.ask('GET', 'policies', undefined, { query: { index: index as string, wait: '10m' } })
      await sleep(100)
      const made = await writer.ask('PUT', 'policy', { Name: `woken-${index}` })
      // A reader that is not woken waits for ten minutes.
      const late = sleep(60_000, 'not woken', { ref: false })
      const answer = (await Promise.race([waiting, late])) as Answer
      expect(Number(answer.index)).toBe(made.body.ModifyIndex)
      expect(answer.body.map(({ Name }: { Name: string }) => Name)).toContain(`woken-${index}`)
    }
  })

  it(`accept only one of ${WRITERS} concurrent writes of a config entry with the same cas value`, async () => {
    const [Kind, Name] = ['service-defaults', 'counted']
    const path = `config/${Kind}/${Name}`
    let cas = '0'
    for (let round = 0; round < ROUNDS; round++) {
      const write = (at: number): Promise<Answer> => {
        const entry = { Kind, Name, Meta: { text: `${round} ${at}` } }
        return (at % 2 ? firstRemote : secondRemote).send('PUT', 'config', entry, { query: { cas } })
      }
      const answers = await Promise.all(Array.from({ length: WRITERS }, (_, at) => write(at)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      const winners = answers.flatMap(({ body }, at) => (body === true ? [at] : []))
      expect(winners).toHaveLength(1)
      const reads = await Promise.all(
        [firstRemote, secondRemote].map((remote) => remote.send('GET', path, undefined, { query: { consistent: '' } })),
      )
      expect(reads[0]?.body).toEqual(reads[1]?.body)
      const { Meta, ModifyIndex } = (reads[0] as Answer).body
      expect(Meta).toEqual({ text: `${round} ${winners[0]}` })
      expect(ModifyIndex).toBeGreaterThan(Number(cas))
      cas = String(ModifyIndex)
    }
  })

  it('accept only one of two concurrent config entries that contradict each other', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const Name = `split-${round}`
      const [first, second] = round % 2 ? [firstRemote, secondRemote] : [secondRemote, firstRemote]
      expect(await first.send('PUT', 'config', { Kind: 'service-defaults', Name, Protocol: 'http' })).toMatchObject({
        body: true,
      })
      const redirect = (from: string, to: string) => ({ Kind: 'service-resolver', Name: from, Redirect: { Service: to } })
      const pairs = [
        [
          first.send('PUT', 'config', { Kind: 'service-splitter', Name, Splits: [{ Weight: 100 }] }),
          second.send('DELETE', `config/service-defaults/${Name}`),
        ],
        [
          first.send('PUT', 'config', redirect(`a-${round}`, `b-${round}`)),
          second.send('PUT', 'config', redirect(`b-${round}`, `a-${round}`)),
        ],
      ]
      for (const pair of pairs) {
        const answers = await Promise.all(pair)
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      }
    }
  })
})
