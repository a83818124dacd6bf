/** A database and a store that several processes share, and the checks after all failures have ended. */
import { expect } from 'vitest'
import type { ConnectionDetails } from '../../src/engines/database/port.ts'
import { type Entry, memoryStorage, type Storage } from '../../src/index.ts'
import {
  type FakeClock,
  type FakeDatabasePlugin,
  type FakeDatabaseUser,
  fakeClock,
  fakeDatabasePlugin,
} from '../../src/testing/index.ts'
import { interceptedStorage } from '../../src/testing/intercepted-storage.ts'
import { copyOfRecords, recordsOf } from '../fixtures/copied-store.ts'
import { Process, type Surroundings } from './database-process.ts'
import { HOUR, LEASE, MINUTE, PERIOD } from './database-works.ts'
import { DEADLINE, driven } from './hanging-world.ts'

/** The users that the database had before. */
const BEFORE = ['root', 'alice', 'carol']

/** Turns of the event loop, 1 ms each, without a call to the store. After that many, the work must be waiting for the clock. */
const IDLE_TURNS = 3
/** Only a store that hangs takes longer for a call. */
const PATIENCE_MS = 60_000

/** A store whose calls take real time, and a function that advances the clock only while no call is in flight. */
export function onRealStore(inner: Storage): Required<Pick<WorldOptions, 'storage' | 'drive'>> {
  let calls = 0
  let inFlight = 0
  const storage = interceptedStorage(inner, {
    async around(_, work) {
      calls++
      inFlight++
      try {
        return await work()
      } finally {
        inFlight--
      }
    },
    listener: (onChange) => onChange,
    close: () => inner.close(),
  })
  const drive = async <T>(clock: FakeClock, work: Promise<T>, most = 10 * DEADLINE): Promise<T> => {
    let ended = false
    const over = () => {
      ended = true
    }
    work.then(over, over)
    const late = clock.now() + most
    let [seen, since] = [calls, performance.now()]
    for (let idle = 0; !ended; idle++) {
      if (calls !== seen || inFlight > 0) idle = 0
      if (calls !== seen) [seen, since] = [calls, performance.now()]
      if (performance.now() - since > PATIENCE_MS) throw new Error('the store does not answer, or the work waits for ever')
      const isIdle = idle >= IDLE_TURNS && clock.now() < late
      if (isIdle) idle = 0
      await clock.advance(isIdle ? 100 : 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return work
  }
  return { storage, drive }
}

export interface WorldOptions {
  readonly storage?: Storage
  readonly drive?: Surroundings['drive']
}

/** A prepared world whose process has ended, which is copied for each test. */
interface Furnished {
  readonly now: number
  readonly records: readonly Entry[]
  readonly users: ReadonlyMap<string, FakeDatabaseUser>
  readonly lease_id: string
  readonly rootToken: string
  readonly secrets: ReadonlySet<string>
}

let furnished: Promise<Furnished> | undefined

export class World {
  readonly clock: FakeClock
  readonly database: FakeDatabasePlugin
  readonly storage: Storage
  readonly drive: Surroundings['drive']
  /** The lease of the user that was created in advance. */
  lease_id = ''
  #rootToken: string | undefined
  readonly #outputs: string[] = []
  readonly #secrets = new Set<string>()

  private constructor({ storage = memoryStorage({ maxOps: 128 }), drive }: WorldOptions, clock = fakeClock()) {
    this.clock = clock
    this.storage = storage
    this.drive = drive ?? (async (clock, work, most) => (await driven(clock, work, most)).value)
    this.database = fakeDatabasePlugin({ clock: this.clock })
    for (const user of ['alice', 'carol']) this.database.addUser(user, `${user}-before`)
  }

  /** Creates a connection `main`, a role `app` with one lease, and a static role `known` for the user alice. */
  static async furnished(options: WorldOptions = {}): Promise<World> {
    if (Object.keys(options).length > 0) return World.#made(options)
    // Copying a world is much faster than preparing one.
    furnished ??= World.#made(options).then((world) => world.#furnished())
    return World.#copyOf(await furnished)
  }

  static async #made(options: WorldOptions): Promise<World> {
    const world = new World(options)
    const first = await world.start()
    const furnish = async (): Promise<void> => {
      const { database } = first.kernel
      const root = { username: 'root', password: 'root-password' }
      const connection = { name: 'main', plugin_name: 'fake', allowed_roles: ['*'], connection_url: 'there' }
      await database.writeConnection({ ...connection, ...root })
      const statements = { creation_statements: ['make'] }
      await database.writeRole({ name: 'app', db_name: 'main', ...statements, default_ttl: LEASE, max_ttl: 100 * LEASE })
      await database.writeStaticRole({ name: 'known', db_name: 'main', username: 'alice', rotation_period: PERIOD })
      world.lease_id = (await database.creds({ name: 'app' })).lease_id
      await first.kernel.close()
    }
    await world.drive(world.clock, furnish())
    expect(world.database.open).toBe(0)
    return world
  }

  async #furnished(): Promise<Furnished> {
    this.#checkSecrets()
    return {
      now: this.clock.now(),
      records: await recordsOf(this.storage),
      users: this.database.users,
      lease_id: this.lease_id,
      rootToken: this.rootToken,
      secrets: this.#secrets,
    }
  }

  static async #copyOf({ now, records, users, lease_id, rootToken, secrets }: Furnished): Promise<World> {
    const world = new World({ storage: await copyOfRecords(records) }, fakeClock(now))
    for (const [name, user] of users) (world.database.users as Map<string, FakeDatabaseUser>).set(name, user)
    world.lease_id = lease_id
    world.#rootToken = rootToken
    for (const secret of secrets) world.#secrets.add(secret)
    return world
  }

  async start(clock = this.clock): Promise<Process> {
    const started = await Process.start({
      storage: this.storage,
      clock,
      database: this.database,
      ...(this.#rootToken !== undefined && { rootToken: this.#rootToken }),
      record: (message) => void this.#outputs.push(JSON.stringify(message)),
      keep: (secret) => void (typeof secret === 'string' && this.#secrets.add(secret)),
      drive: this.drive,
    })
    this.#rootToken = started.rootToken
    return started
  }

  get rootToken(): string {
    return this.#rootToken ?? ''
  }

  /** The current root credentials of the server, whatever is stored. */
  get rootLogin(): ConnectionDetails {
    const credential = this.database.users.get('root')?.credential
    return { username: 'root', password: credential?.type === 'password' ? credential.password : '' }
  }

  /** Users that the engine created and has not dropped. */
  get made(): readonly string[] {
    return [...this.database.users.keys()].filter((name) => !BEFORE.includes(name))
  }

  async #stored(prefix: string, part = ''): Promise<readonly string[]> {
    return (await this.storage.list(prefix)).filter((name) => name.includes(part))
  }

  /** Lets enough time pass, without failures, for all postponed work. */
  async calm(process: Process): Promise<void> {
    for (const wait of [MINUTE, 10 * MINUTE, HOUR, HOUR, HOUR, MINUTE]) {
      await process.clock.advance(wait)
      const { more } = await process.tick()
      if (more) await process.clock.advance(MINUTE)
    }
  }

  /** Checks the invariants after all failures have ended. */
  async check(process: Process): Promise<void> {
    const { kernel, clock } = process
    const { database } = kernel
    expect((await process.tick()).failed).toEqual([])
    await this.drive(clock, database.resetConnection({ name: 'main' }))
    const { keys } = await this.drive(clock, database.listStaticRoles())
    for (const name of keys) {
      const { username, password } = await this.drive(clock, database.staticCreds({ name }))
      expect([name, this.database.login(username, password ?? '')]).toEqual([name, true])
    }
    expect(await this.#stored('l/', '/intent/')).toEqual([])
    expect(this.made.length).toBeLessThanOrEqual((await this.#stored('l/core/lease/root/database/creds/')).length)
    // Every remaining user must have a lease, so revoking all leases drops them all.
    await this.drive(clock, kernel.leases.revokePrefix({ prefix: 'database' }))
    expect(this.made).toEqual([])
    await this.drive(clock, kernel.close())
    expect(this.database.open).toBe(0)
    this.#checkSecrets()
  }

  #checkSecrets(): void {
    // A single `expect`: one for each pair would take longer than all the rest.
    expect(this.#outputs.filter((text) => [...this.#secrets].some((secret) => text.includes(secret)))).toEqual([])
    expect(this.#secrets.size).toBeGreaterThan(1)
  }
}
