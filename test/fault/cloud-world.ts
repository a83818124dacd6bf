/** A cloud and a store that several processes share, and the checks after all failures have ended. */
import { expect } from 'vitest'
import type { CloudProvider } from '../../src/engines/cloud/port.ts'
import { type Entry, memoryStorage, type Storage } from '../../src/index.ts'
import type { FakeCloudCore } from '../../src/testing/cloud/fake-cloud.ts'
import type { CloudSnapshot } from '../../src/testing/cloud/fake-cloud-world.ts'
import { type FakeClock, type FakeCloudProvider, fakeClock, fakeCloudProvider } from '../../src/testing/index.ts'
import { copyOfRecords, recordsOf } from '../fixtures/copied-store.ts'
import { Process, type Surroundings } from './cloud-process.ts'
import { HOUR, LEASE, MINUTE, PERIOD } from './cloud-works.ts'
import { driven } from './hanging-world.ts'

export const ROOT = { access_key: 'AKIAROOTROOTROOTROOT', secret_key: 'root-secret-root-secret-root-secret-0000' }

/** Direct access to the state of the cloud. */
export type CloudState = Pick<FakeCloudProvider, 'users' | 'works' | 'trouble'>

/** The provider that the kernel calls, its endpoint URL, and direct access to its state. */
export interface Cloud {
  readonly provider: CloudProvider
  readonly url: string
  readonly state: CloudState
}

export interface WorldOptions {
  readonly storage?: Storage
  readonly clock?: FakeClock
  readonly drive?: Surroundings['drive']
  readonly cloud?: (clock: FakeClock, root: typeof ROOT) => Cloud
  /** Creates no dynamic user in advance. */
  readonly unleased?: true | undefined
}

/** A prepared world whose processes have ended, which is copied for each test. */
interface Furnished {
  readonly now: number
  readonly records: readonly Entry[]
  readonly cloud: CloudSnapshot
  readonly lease_id: string
  readonly rootToken: string
  readonly before: ReadonlyMap<string, readonly string[]>
  readonly first: ReadonlyMap<string, string>
  readonly secrets: ReadonlySet<string>
}

/** By whether they are `unleased`. */
const FURNISHED = new Map<boolean, Promise<Furnished>>()

const inMemory = (clock: FakeClock, root: typeof ROOT): Cloud => {
  const state = fakeCloudProvider({ root, now: () => clock.now() })
  return { provider: state, url: state.url, state }
}

const keyIds = ({ users }: CloudState, name: string): readonly string[] =>
  (users.get(name)?.keys ?? []).map(({ accessKeyId }) => accessKeyId)

const DOCUMENT = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"ec2:*","Resource":"*"}]}'

export class World {
  readonly clock: FakeClock
  readonly cloud: CloudState
  readonly storage: Storage
  readonly drive: Surroundings['drive']
  /** The lease of the user that was created in advance. */
  lease_id = ''
  readonly #provider: CloudProvider
  readonly #url: string
  /** The users that existed in the cloud before, with their keys. */
  readonly #before = new Map<string, readonly string[]>()
  /** The first access key of each static role, by role name. */
  readonly #first = new Map<string, string>()
  #rootToken: string | undefined
  readonly #outputs: string[] = []
  readonly #secrets = new Set<string>()

  private constructor({ storage = memoryStorage({ maxOps: 128 }), clock = fakeClock(), drive, cloud = inMemory }: WorldOptions) {
    this.clock = clock
    this.storage = storage
    this.drive = drive ?? (async (clock, work, most) => (await driven(clock, work, most)).value)
    const { provider, url, state } = cloud(this.clock, ROOT)
    this.#provider = provider
    this.#url = url
    this.cloud = state
    this.#note([...state.users.keys()])
  }

  /** Records the current keys of these users as known. */
  #note(names: readonly string[]): void {
    for (const name of names) this.#before.set(name, keyIds(this.cloud, name))
  }

  /**
   * Creates the roles `app` (users, one with a lease) and `session` (sessions), the static role `known` of a user with another key of its
   * own, and the static roles `one` and `other` of one user, which have both of its keys.
   */
  static async furnished({ unleased, ...others }: WorldOptions = {}): Promise<World> {
    if (Object.keys(others).length > 0) return World.#made({ unleased, ...others })
    // Copying a world is much faster than preparing one.
    const known = FURNISHED.get(unleased === true) ?? World.#made({ unleased }).then((world) => world.#furnished())
    FURNISHED.set(unleased === true, known)
    return World.#copyOf(await known)
  }

  static async #made(options: WorldOptions): Promise<World> {
    const world = new World(options)
    const first = await world.start()
    await world.drive(world.clock, world.#furnish(first, options))
    return world
  }

  async #furnished(): Promise<Furnished> {
    this.#checkSecrets()
    return {
      now: this.clock.now(),
      records: await recordsOf(this.storage),
      cloud: (this.cloud as FakeCloudCore).world.snapshot(),
      lease_id: this.lease_id,
      rootToken: this.rootToken,
      before: this.#before,
      first: this.#first,
      secrets: this.#secrets,
    }
  }

  static async #copyOf({ now, records, cloud, lease_id, rootToken, before, first, secrets }: Furnished): Promise<World> {
    const world = new World({ storage: await copyOfRecords(records), clock: fakeClock(now) })
    ;(world.cloud as FakeCloudCore).world.restore(cloud)
    world.lease_id = lease_id
    world.#rootToken = rootToken
    world.#before.clear()
    for (const [name, ids] of before) world.#before.set(name, ids)
    for (const [name, key] of first) world.#first.set(name, key)
    for (const secret of secrets) world.#secrets.add(secret)
    return world
  }

  async #furnish({ kernel }: Process, { unleased }: WorldOptions): Promise<void> {
    const { cloud } = kernel
    await cloud.configureRoot({ ...ROOT, iam_endpoint: this.#url, sts_endpoint: this.#url, max_retries: 0 })
    await cloud.configureLease({ lease: `${LEASE}s`, lease_max: `${100 * LEASE}s` })
    await cloud.writeRole({
      name: 'app',
      credential_type: 'iam_user',
      policy_arns: ['arn:aws:iam::aws:policy/ReadOnlyAccess'],
      policy_document: DOCUMENT,
      iam_groups: ['ops'],
      iam_tags: { team: 'blue' },
    })
    await cloud.writeRole({
      name: 'session',
      credential_type: 'assumed_role',
      role_arns: ['arn:aws:iam::123456789012:role/app'],
      iam_groups: ['devs'],
    })
    if (!unleased) this.lease_id = (await cloud.creds({ name: 'app' })).lease_id
    const users = { known: 'app-one', one: 'app-more', other: 'app-more' }
    for (const [name, username] of Object.entries(users)) await cloud.writeStaticRole({ name, username, rotation_period: PERIOD })
    for (const name of Object.keys(users)) this.#first.set(name, (await cloud.staticCreds({ name })).access_key)
    this.#note([...this.#before.keys()])
    await kernel.close()
  }

  async start(clock = this.clock): Promise<Process> {
    const started = await Process.start({
      storage: this.storage,
      clock,
      provider: this.#provider,
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

  /** Users that the engine created and has not removed. */
  get made(): readonly string[] {
    return [...this.cloud.users.keys()].filter((name) => !this.#before.has(name))
  }

  /** New keys of users that existed before. */
  get newKeys(): readonly string[] {
    return [...this.#before].flatMap(([name, before]) => keyIds(this.cloud, name).filter((id) => !before.includes(id)))
  }

  /** Whether a static role returns a key. The key must be valid in the cloud. */
  async handsOut(process: Process, name: string): Promise<boolean> {
    const { status, data } = await this.drive(process.clock, process.ask('GET', `cloud/static-creds/${name}`))
    if (status === 404) return false
    expect([name, status, this.cloud.works(String(data?.['access_key']), String(data?.['secret_key']))]).toEqual([
      name,
      200,
      true,
    ])
    return true
  }

  /** Static roles that still return their first key. */
  async unrotated({ kernel, clock }: Process): Promise<readonly string[]> {
    const names: string[] = []
    for (const [name, key] of this.#first)
      if ((await this.drive(clock, kernel.cloud.staticCreds({ name }))).access_key === key) names.push(name)
    return names
  }

  /** Checks the invariants of every moment. @param deleted The static role that is being deleted. */
  async holds(process: Process, deleted?: string): Promise<void> {
    await this.handsOut(process, 'new')
    for (const name of ['known', 'one', 'other'])
      expect([name, (await this.handsOut(process, name)) || name === deleted]).toEqual([name, true])
    const { data } = await this.drive(process.clock, process.ask('GET', 'cloud/config/root'))
    expect(this.#rootKeys).toContain(data?.['access_key'])
    for (const { userName, keys } of this.cloud.users.values()) expect([userName, keys.length < 3]).toEqual([userName, true])
  }

  get #rootKeys(): readonly string[] {
    return keyIds(this.cloud, 'engine-root')
  }

  /** Ids of the keys in the stored records. */
  async #held({ kernel, clock }: Process): Promise<readonly string[]> {
    const held = ['known', 'one', 'other', 'new'].map(async (name) => {
      const found = await kernel.cloud.staticCreds({ name }).catch(() => undefined)
      return found ? [found.access_key] : []
    })
    const { access_key } = await this.drive(clock, kernel.cloud.readRoot())
    expect(this.#rootKeys).toEqual([access_key])
    return [access_key, ...(await this.drive(clock, Promise.all(held))).flat()]
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

  /** Checks the invariants after all failures have ended. @param deleted The static role that was deleted, or undefined. */
  async check(process: Process, deleted?: string): Promise<void> {
    const { kernel, clock } = process
    expect((await process.tick()).failed).toEqual([])
    expect(await this.#stored('l/', '/intent/')).toEqual([])
    expect(this.made.length).toBeLessThanOrEqual((await this.#stored('l/core/lease/root/cloud/creds/')).length)
    for (const name of this.made) expect([name, this.cloud.users.get(name)?.keys.length]).toEqual([name, 1])
    await this.holds(process, deleted)
    if (deleted !== undefined) {
      const { status } = await this.drive(clock, process.ask('GET', `cloud/static-roles/${deleted}`))
      expect(await this.handsOut(process, deleted)).toBe(status === 200)
    }
    const held = await this.#held(process)
    expect(this.newKeys.filter((id) => !held.includes(id))).toEqual([])
    // Every remaining user must have a lease, so revoking all leases removes them all.
    await this.drive(clock, kernel.leases.revokePrefix({ prefix: 'cloud' }))
    expect(this.made).toEqual([])
    await this.drive(clock, kernel.close())
    this.#checkSecrets()
  }

  #checkSecrets(): void {
    // A single `expect`: one for each pair would take longer than all the rest.
    expect(this.#outputs.filter((text) => [...this.#secrets].some((secret) => text.includes(secret)))).toEqual([])
    expect(this.#secrets.size).toBeGreaterThan(1)
  }
}
