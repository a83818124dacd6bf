import { newId, newSecret } from './ids.ts'
import { type FakeCloudOptions, GROUPS, ROOT_USER, USERS } from './options.ts'
import { AwsRefusal, noSuchUser } from './refusal.ts'
import type {
  CloudCaller,
  CloudGroupState,
  CloudUserState,
  FakeCloudDelays,
  FakeCloudExtra,
  FakeCloudKey,
  FakeCloudSession,
  KnownAccessKey,
} from './state.ts'

interface NewUserOptions {
  readonly path?: string
  readonly permissionsBoundary?: string | undefined
  /** Whether the user is visible immediately, without the delay `users_ms`. */
  readonly seen?: boolean
}

interface ForeignUserOptions {
  readonly keys?: number
  readonly extras?: readonly FakeCloudExtra[]
}

/** Returns the id of a new attached object. An MFA device is a virtual device, so its id is an ARN. */
const extraId = (account: string, kind: FakeCloudExtra): string =>
  kind === 'mfa_device' ? `arn:aws:iam::${account}:mfa/${newId('', 12)}` : newId('APKA', 21)

interface OwnedKey {
  readonly user: CloudUserState
  readonly key: FakeCloudKey
  readonly seenFrom: number
}

/** A copy of the state that calls can change. */
export interface CloudSnapshot {
  readonly users: ReadonlyMap<string, CloudUserState>
  readonly devices: ReadonlySet<string>
  readonly sessions: ReadonlyMap<string, FakeCloudSession>
  readonly keys: ReadonlyMap<string, OwnedKey>
  readonly spent: ReadonlySet<string>
  readonly taken: ReadonlySet<string>
}

/** The state of a fake cloud: users, groups, policies, roles, keys and sessions. */
export class FakeCloudWorld {
  readonly account: string
  readonly now: () => number
  readonly users = new Map<string, CloudUserState>()
  readonly groups: ReadonlyMap<string, CloudGroupState>
  readonly delays: FakeCloudDelays = { users_ms: 0, keys_ms: 0 }
  /** Virtual MFA devices that are not assigned to any user. */
  readonly devices = new Set<string>()
  readonly #sessions = new Map<string, FakeCloudSession>()
  readonly #policies: ReadonlySet<string> | undefined
  readonly #roles: Readonly<Record<string, number>> | undefined
  /** Whether the fake accepts every unknown access key. It creates a new user for each of them. */
  readonly #acceptsAnyKey: boolean
  /** The access keys and their owners, keyed by access key id. */
  readonly #keys = new Map<string, OwnedKey>()
  /** The ids of deleted access keys, which stay invalid even if unknown keys are accepted. */
  readonly #deletedKeys = new Set<string>()
  /** The names of all users in lower case, because AWS allows no two user names that differ only in letter case. */
  readonly #takenNames = new Set<string>()

  constructor(options: FakeCloudOptions) {
    const { account = '123456789012', root, users = USERS, groups = GROUPS, policies, roles, now = Date.now } = options
    this.account = account
    this.now = now
    this.#policies = policies && new Set(policies)
    this.#roles = roles
    this.#acceptsAnyKey = root === undefined
    this.groups = new Map(
      Object.entries(groups).map(([name, { attached = [], inline = {} }]) => [
        name,
        { attached, inline: new Map(Object.entries(inline)) },
      ]),
    )
    if (root) this.#adopt(root.access_key, root.secret_key)
    for (const [name, keys] of Object.entries(users)) this.addForeignUser(name, { keys })
  }

  /** Returns an independent copy of the state. */
  snapshot(): CloudSnapshot {
    return structuredClone(this.#state)
  }

  /** Replaces the state by a copy of the snapshot, which can be from another instance. */
  restore(state: CloudSnapshot): void {
    const copy = structuredClone(state)
    const own = this.#state
    replaceMap(own.users, copy.users)
    replaceMap(own.sessions, copy.sessions)
    replaceMap(own.keys, copy.keys)
    replaceSet(own.devices, copy.devices)
    replaceSet(own.spent, copy.spent)
    replaceSet(own.taken, copy.taken)
  }

  get #state() {
    return {
      users: this.users,
      devices: this.devices,
      sessions: this.#sessions,
      keys: this.#keys,
      spent: this.#deletedKeys,
      taken: this.#takenNames,
    }
  }

  isTaken(userName: string): boolean {
    return this.#takenNames.has(userName.toLowerCase())
  }

  addUser(userName: string, { path = '/', permissionsBoundary, seen = false }: NewUserOptions = {}): CloudUserState {
    const user: CloudUserState = {
      userName,
      userId: newId('AIDA', 21),
      path,
      arn: `arn:aws:iam::${this.account}:user${path}${userName}`,
      createDate: this.now(),
      ...(permissionsBoundary !== undefined && { permissionsBoundary }),
      tags: new Map(),
      attached: new Set(),
      inline: new Map(),
      groups: new Set(),
      keys: [],
      extras: new Map(),
      seenFrom: this.now() + (seen ? 0 : this.delays.users_ms),
    }
    this.users.set(userName, user)
    this.#takenNames.add(userName.toLowerCase())
    return user
  }

  /** Creates a user for a test, as if another application had created it. The user is visible immediately. */
  addForeignUser(name: string, { keys = 0, extras = [] }: ForeignUserOptions = {}): CloudUserState {
    const user = this.addUser(name, { seen: true })
    for (let made = 0; made < keys; made++) this.addKey(user, { seen: true })
    this.giveExtras(user, extras)
    return user
  }

  giveExtras(user: CloudUserState, extras: readonly FakeCloudExtra[]): void {
    for (const kind of extras) user.extras.set(extraId(this.account, kind), kind)
  }

  /** Deletes a user with all its keys, policies and other objects. */
  removeUser({ userName, keys }: CloudUserState): void {
    for (const { accessKeyId } of keys) this.#spend(accessKeyId)
    this.users.delete(userName)
    this.#takenNames.delete(userName.toLowerCase())
  }

  addKey(
    user: CloudUserState,
    { accessKeyId = newId('AKIA', 20), secretAccessKey = newSecret(), seen = false } = {},
  ): FakeCloudKey {
    const key = { accessKeyId, secretAccessKey, createDate: this.now() }
    user.keys.push(key)
    this.#keys.set(accessKeyId, { user, key, seenFrom: this.now() + (seen ? 0 : this.delays.keys_ms) })
    return key
  }

  /** Deletes an access key. Returns whether it existed. */
  removeKey(user: CloudUserState, accessKeyId: string): boolean {
    const at = user.keys.findIndex((key) => key.accessKeyId === accessKeyId)
    if (at < 0) return false
    user.keys.splice(at, 1)
    this.#spend(accessKeyId)
    return true
  }

  addSession(arn: string, seconds: number): FakeCloudSession {
    const session = {
      accessKeyId: newId('ASIA', 20),
      secretAccessKey: newSecret(),
      sessionToken: newSecret(140),
      expiration: this.now() + seconds * 1000,
      arn,
    }
    this.#sessions.set(session.accessKeyId, session)
    return session
  }

  /** Returns the user. @throws AwsRefusal with the code NoSuchEntity if the user does not exist or is not visible yet. */
  user(name: string): CloudUserState {
    const user = this.users.get(name)
    if (user && this.now() >= user.seenFrom) return user
    throw noSuchUser(name)
  }

  /** Returns the group. @throws AwsRefusal with the code NoSuchEntity if the group does not exist. */
  group(name: string): CloudGroupState {
    const group = this.groups.get(name)
    if (group) return group
    throw new AwsRefusal('NoSuchEntity', `The group with name ${name} cannot be found.`)
  }

  hasPolicy(arn: string): boolean {
    return this.#policies ? this.#policies.has(arn) : /^arn:[\w-]+:iam::(aws|\d{12}):policy\/./.test(arn)
  }

  /** Returns the maximum session duration of a role in seconds, or undefined if the role does not exist. */
  maxSessionSeconds(roleArn: string): number | undefined {
    if (!this.#roles) return /^arn:[\w-]+:iam::\d{12}:role\/./.test(roleArn) ? 43_200 : undefined
    const prefix = `arn:aws:iam::${this.account}:role/`
    const name = roleArn.startsWith(prefix) ? roleArn.slice(prefix.length) : ''
    return Object.hasOwn(this.#roles, name) ? this.#roles[name] : undefined
  }

  /**
   * Returns the owner and the secret of a valid access key.
   * @param secret The secret key that the caller sent. Absent if the caller has signed the request instead: then an unknown key is invalid.
   */
  knownKey(accessKeyId: string, secret?: string): KnownAccessKey | undefined {
    const session = this.#sessions.get(accessKeyId)
    if (session) return { caller: { arn: session.arn }, secret: session.secretAccessKey, session }
    const owned = this.#keys.get(accessKeyId)
    if (owned?.user.keys.some((key) => key.accessKeyId === accessKeyId && key.inactive)) return undefined
    if (owned && this.now() >= owned.seenFrom)
      return { caller: { arn: owned.user.arn, user: owned.user }, secret: owned.key.secretAccessKey }
    if (owned || !this.#acceptsAnyKey || secret === undefined || this.#deletedKeys.has(accessKeyId)) return undefined
    return { caller: this.#adopt(accessKeyId, secret), secret }
  }

  /** Returns whether these credentials are valid now. Unlike `authenticate`, it does not create a user for an unknown key. */
  accepts(accessKeyId: string, secret: string, sessionToken?: string): boolean {
    const known = this.knownKey(accessKeyId)
    if (known?.secret !== secret || known.session?.sessionToken !== sessionToken) return false
    return !known.session || this.now() < known.session.expiration
  }

  /** Returns the caller with these credentials. @throws AwsRefusal if the credentials are invalid. */
  authenticate(accessKeyId: string, secret: string): CloudCaller {
    const known = this.knownKey(accessKeyId, secret)
    // Refuse temporary credentials: they are valid only with their session token, which this method does not receive.
    if (!known || known.session) throw unknownKey()
    if (known.secret !== secret) throw wrongSecret()
    return known.caller
  }

  #adopt(accessKeyId: string, secretAccessKey: string): CloudCaller {
    let name = ROOT_USER
    for (let other = 2; this.isTaken(name); other++) name = `${ROOT_USER}-${other}`
    const user = this.addUser(name, { seen: true })
    this.addKey(user, { accessKeyId, secretAccessKey, seen: true })
    return { arn: user.arn, user }
  }

  #spend(accessKeyId: string): void {
    this.#keys.delete(accessKeyId)
    this.#deletedKeys.add(accessKeyId)
  }
}

function replaceMap<T>(to: Map<string, T>, from: ReadonlyMap<string, T>): void {
  to.clear()
  for (const [key, value] of from) to.set(key, value)
}

function replaceSet(to: Set<string>, from: ReadonlySet<string>): void {
  to.clear()
  for (const value of from) to.add(value)
}

export const unknownKey = (): AwsRefusal =>
  new AwsRefusal('InvalidClientTokenId', 'The security token included in the request is invalid.')
export const wrongSecret = (): AwsRefusal =>
  new AwsRefusal('SignatureDoesNotMatch', 'The request signature we calculated does not match the signature you provided.')
export const expired = (): AwsRefusal => new AwsRefusal('ExpiredToken', 'The security token included in the request is expired')
