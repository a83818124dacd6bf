/**
 * Concurrent logins of one account in two processes on one store.
 */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createKernel } from '../../src/index.ts'
import { BOUND, HOST, jwtOf, KEYS, WEB } from '../engines/orchestrator/world.ts'
import { type Child, startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import type { Place } from '../fixtures/places.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import type { Came, LoginArguments, ParentMessage } from './login.child.ts'
import { onEachStore } from './on-each-store.ts'
import { openStorage, SEAL } from './where.ts'

const PROGRAM = 'test/processes/login.child.ts'
const LOGINS = 50
/** The staleness bound in milliseconds. */
const BOUND_MS = 500

beforeAll(() => {
  compiled(PROGRAM)
})

/** A process that executes one command at a time. */
class Doorkeeper {
  readonly #child: Child
  readonly #messages: AsyncIterator<unknown>

  private constructor(child: Child) {
    this.#child = child
    this.#messages = child.messages[Symbol.asyncIterator]()
  }

  static async start(where: StoreAt): Promise<Doorkeeper> {
    const keeper = new Doorkeeper(startChild(PROGRAM, { where, bound: BOUND_MS } satisfies LoginArguments))
    await keeper.#next()
    return keeper
  }

  async #next(): Promise<readonly Came[]> {
    const { done, value } = await this.#messages.next()
    if (done) await this.#child.ended
    return value as readonly Came[]
  }

  ask(message: ParentMessage): Promise<readonly Came[]> {
    this.#child.send(message)
    return this.#next()
  }

  async end(): Promise<void> {
    this.#child.send({ do: 'end' } satisfies ParentMessage)
    expect(await this.#child.ended).toBe('done')
  }
}

async function prepare(where: StoreAt): Promise<void> {
  const { storage, close } = openStorage(where)
  const kernel = await createKernel({ storage, seal: SEAL, initialize: true })
  await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
  await kernel.orchestrator.writeRole({ name: 'web', ...BOUND, token_ttl: '1h' })
  await kernel.close()
  await close()
}

interface Identities {
  /** The number of records in the store. */
  readonly entities: number
  readonly aliases: number
  /** The aliases as the entity shows them. */
  readonly shown: readonly unknown[]
}

async function identitiesIn(where: StoreAt, entity: string): Promise<Identities> {
  const { storage, close } = openStorage(where)
  const kernel = await createKernel({ storage, seal: SEAL })
  const { aliases: shown } = await kernel.identity.readEntity({ id: entity })
  const count = async (prefix: string) => (await storage.scan(prefix)).length
  const identities = { entities: await count('r/core/entity/'), aliases: await count('r/core/alias/'), shown }
  await kernel.close()
  await close()
  return identities
}

const tokensOf = (all: readonly Came[]): readonly string[] =>
  all.map((came) => {
    if ('status' in came) throw new Error(`${came.status} ${came.message}`)
    return came.token
  })

onEachStore('two processes with logins', (open) => {
  let place: Place
  afterEach(() => place.remove())

  it('create one entity for concurrent logins with one account, and accept all tokens of the logins', async () => {
    place = await open()
    await prepare(place.where)
    const keepers = await Promise.all([Doorkeeper.start(place.where), Doorkeeper.start(place.where)])
    const logIn: ParentMessage = { do: 'log in', jwt: jwtOf(), times: LOGINS }
    const came = (await Promise.all(keepers.map((keeper) => keeper.ask(logIn)))).flat()
    const tokens = tokensOf(came)
    expect(new Set(tokens).size).toBe(2 * LOGINS)
    for (const keeper of keepers) expect(await keeper.ask({ do: 'look up', tokens })).toEqual(came)
    for (const keeper of keepers) await keeper.end()
    const entities = new Set(came.map((result) => 'entity' in result && result.entity))
    expect(entities.size).toBe(1)
    const identities = await identitiesIn(place.where, [...entities][0] as string)
    expect(identities).toEqual({ entities: 1, aliases: 1, shown: [expect.objectContaining({ name: WEB.uid })] })
  })

  it("accept each other's new tokens immediately, and refuse renewals after one of them has deleted the role", async () => {
    place = await open()
    await prepare(place.where)
    const [firstDoorkeeper, otherDoorkeeper] = await Promise.all([Doorkeeper.start(place.where), Doorkeeper.start(place.where)])
    for (let turn = 0; turn < 10; turn++) {
      const [from, to] = turn % 2 === 0 ? [firstDoorkeeper, otherDoorkeeper] : [otherDoorkeeper, firstDoorkeeper]
      const came = await from.ask({ do: 'log in', jwt: jwtOf(), times: 1 })
      expect(await to.ask({ do: 'look up', tokens: tokensOf(came) })).toEqual(came)
    }
    const came = await firstDoorkeeper.ask({ do: 'log in', jwt: jwtOf(), times: 1 })
    const tokens = tokensOf(came)
    expect(await otherDoorkeeper.ask({ do: 'renew', tokens })).toEqual(came)
    await firstDoorkeeper.ask({ do: 'delete the role' })
    const refused = [{ status: 400, message: expect.stringMatching(/role/) }]
    for (const keeper of [otherDoorkeeper, firstDoorkeeper]) expect(await keeper.ask({ do: 'renew', tokens })).toEqual(refused)
    // The tokens were not renewed, but remain valid.
    expect(await otherDoorkeeper.ask({ do: 'look up', tokens })).toEqual(came)
    expect(await otherDoorkeeper.ask({ do: 'log in', jwt: jwtOf(), times: 1 })).toEqual(refused)
    await firstDoorkeeper.end()
    await otherDoorkeeper.end()
  })
})
