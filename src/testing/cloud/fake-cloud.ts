import { FakeCloudWorld } from './fake-cloud-world.ts'
import type { FakeCloudOptions } from './options.ts'
import type { FakeCloudDelays, FakeCloudExtra, FakeCloudKey, FakeCloudUser } from './state.ts'
import { type CloudCall, type CloudTrouble, CloudTroubles, type MetTrouble } from './trouble.ts'

/** A recorded call. */
export interface CloudCallRecord {
  readonly call: CloudCall
  readonly request: object
  readonly access_key: string
}

/** Options of all fake clouds, in memory and over HTTP. */
export interface FakeCloudSetup extends FakeCloudOptions {
  /** The fake calls this function before it performs a call, and waits for the returned promise. */
  readonly pause?: (call: CloudCall) => Promise<void>
}

/** Options of a user that a test adds. */
export interface FakeCloudUserDetails {
  readonly keys?: number
  readonly extras?: readonly FakeCloudExtra[]
}

/** The methods and members with which tests inspect and change a fake cloud. */
export interface FakeCloud {
  /** The users, keyed by name. */
  readonly users: ReadonlyMap<string, FakeCloudUser>
  /** All calls, the oldest first. */
  readonly calls: readonly CloudCallRecord[]
  /** The number of calls in progress. */
  readonly in_flight: number
  /** The maximum number of concurrent calls so far. */
  readonly most_in_flight: number
  /** The delays until new users and keys are visible. With them, the fake is eventually consistent, like AWS. Default: no delays. */
  readonly delays: FakeCloudDelays
  /** Returns whether the cloud accepts these credentials now. */
  works(access_key: string, secret_key: string, security_token?: string | null): boolean
  /** Creates a user, as if another application had created it. */
  addUser(name: string, more?: FakeCloudUserDetails): FakeCloudUser
  /** Attaches objects that prevent the deletion of a user, as if another application had attached them. */
  giveExtras(name: string, extras: readonly FakeCloudExtra[]): void
  /** Deletes a user with its keys, policies and other objects, as if another application had deleted it. */
  removeUser(name: string): void
  /** Creates an access key for a user, as if another application had created it. */
  addKey(name: string): FakeCloudKey
  /** Deletes an access key of a user, as if another application had deleted it. */
  removeKey(name: string, access_key: string): void
  /**
   * Adds a failure: the next matching calls fail. Failures that were added earlier apply first. Returns a function that removes the
   * failure.
   */
  trouble(trouble: CloudTrouble): () => void
}

/** The state and the recorded calls of a fake cloud. Providers and HTTP servers extend this class. */
export class FakeCloudCore implements FakeCloud {
  readonly world: FakeCloudWorld
  readonly #troubles = new CloudTroubles()
  readonly #pause: FakeCloudSetup['pause']
  readonly #calls: CloudCallRecord[] = []
  #inFlight = 0
  #maxInFlight = 0

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
    return this.#inFlight
  }

  get most_in_flight(): number {
    return this.#maxInFlight
  }

  get delays(): FakeCloudDelays {
    return this.world.delays
  }

  works(access_key: string, secret_key: string, security_token?: string | null): boolean {
    return this.world.accepts(access_key, secret_key, security_token ?? undefined)
  }

  addUser(name: string, more: FakeCloudUserDetails = {}): FakeCloudUser {
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

  /** Records a call, waits for `pause`, and calls `work`. `met` is the failure that a test has added for this call, if any. */
  async track<T>(record: CloudCallRecord, work: (met: MetTrouble | undefined) => Promise<T>): Promise<T> {
    this.#calls.push(record)
    this.#maxInFlight = Math.max(this.#maxInFlight, ++this.#inFlight)
    try {
      await this.#pause?.(record.call)
      return await work(this.#troubles.next(record.call))
    } finally {
      this.#inFlight--
    }
  }
}
