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

/** Options of every fake cloud. */
export interface FakeCloudSetup extends FakeCloudOptions {
  /** Called before each call is performed. The call waits for the returned promise. */
  readonly pause?: (call: CloudCall) => Promise<void>
}

/** Options of a user that a test adds. */
export interface FakeCloudUserDetails {
  readonly keys?: number
  readonly extras?: readonly FakeCloudExtra[]
}

/** The methods and members with which tests inspect and change a fake cloud. */
export interface FakeCloud {
  /** The users by name. */
  readonly users: ReadonlyMap<string, FakeCloudUser>
  /** All calls, the oldest first. */
  readonly calls: readonly CloudCallRecord[]
  /** The number of calls in progress. */
  readonly in_flight: number
  /** The maximum number of concurrent calls so far. */
  readonly most_in_flight: number
  /** The delays until new users and keys are visible, as in an eventually consistent cloud. Default: no delays. */
  readonly delays: FakeCloudDelays
  /** Returns whether the cloud accepts these credentials at present. */
  works(access_key: string, secret_key: string, security_token?: string | null): boolean
  /** Creates a user, as another application would. */
  addUser(name: string, more?: FakeCloudUserDetails): FakeCloudUser
  /** Attaches objects to a user that prevent its deletion, as another application would. */
  giveExtras(name: string, extras: readonly FakeCloudExtra[]): void
  /** Deletes a user with its keys, policies and other objects, as another application would. */
  removeUser(name: string): void
  /** Creates a key, as another application would. */
  addKey(name: string): FakeCloudKey
  /** Deletes a key, as another application would. */
  removeKey(name: string, access_key: string): void
  /** Makes the next matching calls fail. Failures that were added earlier apply first. Returns a function that removes this failure. */
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

  /** Records a call, waits for `pause`, and calls `work` with the failure that a test has added for the call, if any. */
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
