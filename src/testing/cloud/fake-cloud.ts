/**
 * What tests see of the fake cloud and do to it, whether it is asked as a port or over HTTP.
 */

import { FakeCloudWorld } from './fake-cloud-world.ts'
import type { FakeCloudOptions } from './options.ts'
import type { FakeCloudDelays, FakeCloudExtra, FakeCloudKey, FakeCloudUser } from './state.ts'
import { type CloudCall, type CloudTrouble, CloudTroubles, type MetTrouble } from './trouble.ts'

/** One call, as it was made. */
export interface CloudCallRecord {
  readonly call: CloudCall
  readonly request: object
  readonly access_key: string
}

/** Options of every fake cloud. */
export interface FakeCloudSetup extends FakeCloudOptions {
  /** Every call waits for it before it is applied. */
  readonly pause?: (call: CloudCall) => Promise<void>
}

export interface FakeCloudStranger {
  readonly keys?: number
  readonly extras?: readonly FakeCloudExtra[]
}

/** What tests see of the fake cloud, and do to it. */
export interface FakeCloud {
  /** By name. */
  readonly users: ReadonlyMap<string, FakeCloudUser>
  /** All calls, in order. */
  readonly calls: readonly CloudCallRecord[]
  readonly in_flight: number
  /** How many calls were under way at once, at most. */
  readonly most_in_flight: number
  /** Eventual consistency, of what is made from now on; default: none. */
  readonly delays: FakeCloudDelays
  /** Whether the cloud takes these credentials at present. */
  works(access_key: string, secret_key: string, security_token?: string | null): boolean
  /** A user that somebody else makes. */
  addUser(name: string, more?: FakeCloudStranger): FakeCloudUser
  /** Somebody else gives a user what keeps it from being deleted. */
  giveExtras(name: string, extras: readonly FakeCloudExtra[]): void
  /** Somebody else deletes a user, with all it has. */
  removeUser(name: string): void
  /** Somebody else makes a key. */
  addKey(name: string): FakeCloudKey
  /** Somebody else deletes a key. */
  removeKey(name: string, access_key: string): void
  /** The next calls of that kind meet it. Trouble that was given earlier comes first. Returns what takes it back. */
  trouble(trouble: CloudTrouble): () => void
}

/** The same as those have it who carry calls out. */
export class FakeCloudCore implements FakeCloud {
  readonly world: FakeCloudWorld
  readonly #troubles = new CloudTroubles()
  readonly #pause: FakeCloudSetup['pause']
  readonly #calls: CloudCallRecord[] = []
  #flying = 0
  #most = 0

  constructor(options: FakeCloudSetup) {
    this.world = new FakeCloudWorld(options)
    this.#pause = options.pause
  }

  get users(): ReadonlyMap<string, FakeCloudUser> {
    return this.world.users
  }

  get calls(): readonly CloudCallRecord[] {
    return this.#calls
  }

  get in_flight(): number {
    return this.#flying
  }

  get most_in_flight(): number {
    return this.#most
  }

  get delays(): FakeCloudDelays {
    return this.world.delays
  }

  works(access_key: string, secret_key: string, security_token?: string | null): boolean {
    return this.world.accepts(access_key, secret_key, security_token ?? undefined)
  }

  addUser(name: string, more: FakeCloudStranger = {}): FakeCloudUser {
    return this.world.addForeignUser(name, more)
  }

  giveExtras(name: string, extras: readonly FakeCloudExtra[]): void {
    this.world.giveExtras(this.world.user(name), extras)
  }

  removeUser(name: string): void {
    this.world.removeUser(this.world.user(name))
  }

  addKey(name: string): FakeCloudKey {
    return this.world.addKey(this.world.user(name), { seen: true })
  }

  removeKey(name: string, access_key: string): void {
    this.world.removeKey(this.world.user(name), access_key)
  }

  trouble(trouble: CloudTrouble): () => void {
    return this.#troubles.add(trouble)
  }

  /** Writes a call down and has it wait; `work` is what it does then. */
  async track<T>(record: CloudCallRecord, work: (met: MetTrouble | undefined) => Promise<T>): Promise<T> {
    this.#calls.push(record)
    this.#most = Math.max(this.#most, ++this.#flying)
    try {
      await this.#pause?.(record.call)
      return await work(this.#troubles.next(record.call))
    } finally {
      this.#flying--
    }
  }
}
