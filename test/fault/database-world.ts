/** A database and a store that processes share, what they are asked to do there, and what has to hold when all trouble is over. */
import { expect } from 'vitest'
import { memoryStorage, type Storage } from '../../src/index.ts'
import { type FakeClock, type FakeDatabasePlugin, fakeClock, fakeDatabasePlugin } from '../../src/testing/index.ts'
import { type Answer, Process, type Surroundings } from './database-process.ts'
import { driven } from './hanging-world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** Seconds. */
const PERIOD = 24 * 3600
/** Seconds. */
const LEASE = 3600
/** The users that the database had before. */
const BEFORE = ['root', 'alice', 'carol']

export interface WorldOptions {
  readonly storage?: Storage
  readonly drive?: Surroundings['drive']
}

export class World {
  readonly clock: FakeClock = fakeClock()
  readonly database: FakeDatabasePlugin
  readonly storage: Storage
  readonly drive: Surroundings['drive']
  /** The lease of a user that was made before. */
  lease_id = ''
  #rootToken: string | undefined
  readonly #told: string[] = []
  readonly #secrets = new Set<string>()

  private constructor({ storage = memoryStorage({ maxOps: 128 }), drive }: WorldOptions) {
    this.storage = storage
    this.drive = drive ?? (async (clock, work, most) => (await driven(clock, work, most)).value)
    this.database = fakeDatabasePlugin({ clock: this.clock })
    for (const user of ['alice', 'carol']) this.database.addUser(user, `${user}-before`)
  }

  /** With a connection `main`, a role `app` that has given a lease, and a static role `known` of alice. */
  static async furnished(options: WorldOptions = {}): Promise<World> {
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

  async start(clock = this.clock): Promise<Process> {
    const started = await Process.start({
      storage: this.storage,
      clock,
      database: this.database,
      ...(this.#rootToken !== undefined && { rootToken: this.#rootToken }),
      hear: (told) => void this.#told.push(JSON.stringify(told)),
      keep: (secret) => void (typeof secret === 'string' && this.#secrets.add(secret)),
      drive: this.drive,
    })
    this.#rootToken = started.rootToken
    return started
  }

  /** Users that were made and not dropped. */
  get made(): readonly string[] {
    return [...this.database.users.keys()].filter((name) => !BEFORE.includes(name))
  }

  async #stored(prefix: string, part = ''): Promise<readonly string[]> {
    return (await this.storage.list(prefix)).filter((name) => name.includes(part))
  }

  /** The trouble is over: time enough for all that was put off. */
  async calm(process: Process): Promise<void> {
    for (const wait of [MINUTE, 10 * MINUTE, HOUR, HOUR, HOUR, MINUTE]) {
      await process.clock.advance(wait)
      const { more } = await process.tick()
      if (more) await process.clock.advance(MINUTE)
    }
  }

  /** What holds when there is calm. */
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
    // Who is there has a lease that drops it.
    await this.drive(clock, kernel.leases.revokePrefix({ prefix: 'database' }))
    expect(this.made).toEqual([])
    await this.drive(clock, kernel.close())
    expect(this.database.open).toBe(0)
    for (const secret of this.#secrets) for (const told of this.#told) expect(told).not.toContain(secret)
    expect(this.#secrets.size).toBeGreaterThan(1)
  }
}

export interface Work {
  readonly name: string
  /** Milliseconds that pass first. */
  readonly wait?: number
  readonly run: (process: Process, world: World) => Promise<Answer | undefined>
  /** What holds at once after a success. */
  readonly done?: (answer: Answer, world: World, process: Process) => Promise<void> | void
}

const ticked = async ({ kernel }: Process): Promise<undefined> => void (await kernel.tick())

const carol = { username: 'carol', db_name: 'main', rotation_period: PERIOD }

export const WORKS: readonly Work[] = [
  {
    name: 'creds',
    run: (process) => process.ask('GET', 'database/creds/app'),
    done: ({ data }, { database }) => {
      expect(database.login(String(data?.['username']), String(data?.['password']))).toBe(true)
    },
  },
  {
    name: 'renew',
    run: (process, { lease_id }) => process.ask('POST', 'sys/leases/renew', { lease_id, increment: 2 * LEASE }),
    done: ({ lease_duration }, { database, made, clock }) => {
      expect(lease_duration).toBe(2 * LEASE)
      for (const name of made) expect(database.users.get(name)?.expiration).toBeGreaterThan(clock.now() + lease_duration * 999)
    },
  },
  {
    name: 'revoke',
    run: (process, { lease_id }) => process.ask('POST', 'sys/leases/revoke', { lease_id }),
    done: (_, { made }) => expect(made).toEqual([]),
  },
  { name: 'expiry', wait: HOUR, run: ticked },
  { name: 'static create', run: (process) => process.ask('POST', 'database/static-roles/new', carol) },
  {
    name: 'static adopt',
    run: (process) => {
      const adopts = { skip_import_rotation: true, password: 'carol-before' }
      return process.ask('POST', 'database/static-roles/new', { ...carol, ...adopts })
    },
  },
  {
    name: 'static update',
    run: (process) => process.ask('POST', 'database/static-roles/known', { rotation_period: 2 * PERIOD }),
    done: async (_, world, { kernel, clock }) => {
      const role = await world.drive(clock, kernel.database.readStaticRole({ name: 'known' }))
      expect(role.rotation_period).toBe(2 * PERIOD)
    },
  },
  { name: 'due rotation', wait: PERIOD * 1000, run: ticked },
  { name: 'rotate-role', run: (process) => process.ask('POST', 'database/rotate-role/known') },
  { name: 'rotate-root', run: (process) => process.ask('POST', 'database/rotate-root/main') },
]
