import { readOptions } from '../../core/base/options.ts'
import type { FacadeParts } from '../../core/contract/facade.ts'

export interface DatabaseLogin {
  /** The name of the database user. */
  readonly username: string
  /** The user's password at present. */
  readonly password: string
}

/**
 * Keeps a valid username and password for an application. The source caches the login and replaces it before it expires. The source has no
 * timer: it checks the expiration at each use and in each tick of the kernel.
 */
export interface CredentialSource {
  /**
   * Returns the current login. For a dynamic role, the lease is renewed after two thirds of its lifetime; once it can no longer be renewed,
   * a new user is created. If renewing fails, for example because the database is unreachable, the cached login is returned until it
   * expires.
   * @throws If no cached login is valid, the KernelError of `creds` or `staticCreds`. After `close`, a TypeError.
   */
  current(): Promise<DatabaseLogin>
  /**
   * Like `current`, but requests the login from the kernel even if the cached login has not expired. Call it after the database has refused
   * the login, for example because the lease was revoked or the password was rotated early.
   * @throws The same errors as `current`.
   */
  refresh(): Promise<DatabaseLogin>
  /**
   * Calls `listener` whenever the username or password changes. The first login is not a change.
   * @returns A function that removes the listener.
   */
  onChange(listener: (login: DatabaseLogin) => void): () => void
  /** Stops the source and revokes its lease, if it has one. Idempotent. */
  close(): Promise<void>
}

export type CredentialSourceOptions =
  | {
      /** The name of a dynamic role: the source creates users of its own. */
      readonly role: string
    }
  | {
      /** The name of a static role: the source uses the role's existing user. */
      readonly static_role: string
    }

/** The methods of the database facade that the source calls. */
export interface CredentialOperations {
  creds(args: { readonly name: string }): Promise<DatabaseCreds>
  staticCreds(args: { readonly name: string }): Promise<StaticCreds>
}

interface DatabaseCreds {
  readonly username: string
  readonly password?: string
  readonly lease_id: string
  readonly lease_duration: number
}

interface StaticCreds {
  readonly username: string
  readonly password?: string
  readonly ttl: number
}

interface CachedLogin {
  readonly login: DatabaseLogin
  /** Milliseconds since the Unix epoch. The first use after this time renews or replaces the login. */
  readonly renewAt: number
  /** The time at which the cached login expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number
  readonly lease?: { readonly id: string; readonly seconds: number }
}

/** The fraction of the lease duration after which the lease is renewed. */
const RENEW_AFTER_FRACTION = 2 / 3

/**
 * A renewal must grant at least this fraction of the first lease duration. If it grants less, the lease is near its maximum lifetime, so a
 * new user is created.
 */
const MIN_RENEWAL_FRACTION = 1 / 2

export function credentialSource(
  operations: CredentialOperations,
  { now, leases, onTick }: Pick<FacadeParts, 'now' | 'leases' | 'onTick'>,
  input: CredentialSourceOptions,
): CredentialSource {
  const options: { role?: string; static_role?: string } = readOptions(
    'credentialSource',
    input as object,
    { role: 1, static_role: 1 } as never,
  )
  const { role, static_role } = options
  const fetchLogin =
    static_role !== undefined
      ? fetchStaticLogin(operations, now, static_role)
      : fetchDynamicLogin(operations, now, leases, role as string)
  if ((static_role === undefined) === (role === undefined) || typeof (role ?? static_role) !== 'string')
    throw new TypeError('credentialSource: give either role or static_role, as a string')
  const listeners = new Set<(login: DatabaseLogin) => void>()
  let cached: CachedLogin | undefined
  let pending: Promise<CachedLogin> | undefined
  let closed = false
  const store = (next: CachedLogin): CachedLogin => {
    const before = cached?.login
    cached = next
    const isChanged = before && (before.username !== next.login.username || before.password !== next.login.password)
    if (isChanged) for (const listener of [...listeners]) listener(next.login)
    return next
  }
  const fetchOnce = (): Promise<CachedLogin> => {
    pending ??= fetchLogin(cached)
      .then(store)
      .finally(() => {
        pending = undefined
      })
    return pending
  }
  const getLogin = async (force: boolean): Promise<DatabaseLogin> => {
    if (closed) throw new TypeError('credentialSource: the source is closed')
    if (!force && cached && now() < cached.renewAt) return cached.login
    try {
      return (await fetchOnce()).login
    } catch (error) {
      if (cached && now() < cached.expiresAt) return cached.login
      throw error
    }
  }
  const stop = onTick(async () => {
    if (cached && !closed && now() >= cached.renewAt) await fetchOnce()
  })
  return {
    current: () => getLogin(false),
    refresh: () => getLogin(true),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      if (closed) return
      closed = true
      stop()
      const last = pending ? await pending.catch(() => cached) : cached
      if (last?.lease) await leases.revokeLease({ lease_id: last.lease.id })
    },
  }
}

const requirePassword = (password: string | undefined): string => {
  if (password !== undefined) return password
  throw new TypeError('credentialSource: the role must have credential_type password')
}

const fetchStaticLogin =
  (operations: CredentialOperations, now: () => number, name: string) => async (): Promise<CachedLogin> => {
    const { username, password, ttl } = await operations.staticCreds({ name })
    // If the rotation is overdue, `ttl` is 0. Then every use calls `staticCreds` again, which is cheap because it does not call the
    // database.
    const renewAt = now() + ttl * 1000
    return { login: { username, password: requirePassword(password) }, renewAt, expiresAt: Number.POSITIVE_INFINITY }
  }

function fetchDynamicLogin(operations: CredentialOperations, now: () => number, leases: FacadeParts['leases'], name: string) {
  const until = (seconds: number) => {
    const at = now()
    return { renewAt: at + seconds * 1000 * RENEW_AFTER_FRACTION, expiresAt: at + seconds * 1000 }
  }
  return async (cached: CachedLogin | undefined): Promise<CachedLogin> => {
    if (cached?.lease && now() < cached.expiresAt) {
      const { id, seconds } = cached.lease
      const renewed = await leases.renewLease({ lease_id: id }).catch(() => undefined)
      if (renewed && renewed.lease_duration >= seconds * MIN_RENEWAL_FRACTION)
        return { ...cached, ...until(renewed.lease_duration) }
    }
    const { username, password, lease_id, lease_duration } = await operations.creds({ name })
    const lease = { id: lease_id, seconds: lease_duration }
    return { login: { username, password: requirePassword(password) }, ...until(lease_duration), lease }
  }
}
