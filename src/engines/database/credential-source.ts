/**
 * What an application logs in with: kept as long as it is good, and replaced ahead of its end.
 */
import { readOptions } from '../../core/base/options.ts'
import type { FacadeParts } from '../../core/contract/engine.ts'

export interface DatabaseLogin {
  /** The user of the database. */
  readonly username: string
  /** What it logs in with until the next change. */
  readonly password: string
}

/**
 * A user and password that are always good. It has no timer: it looks at the time when it is used, and at each tick.
 */
export interface CredentialSource {
  /**
   * What to log in with now. Of a dynamic role the lease is renewed ahead of its end, and when that cannot be any more there is another user.
   * While the kernel or the database cannot be reached, what is still good is given.
   * @throws KernelError as `creds` or `staticCreds`, when there is nothing good any more; TypeError when closed.
   */
  current(): Promise<DatabaseLogin>
  /**
   * The same, asked anew although what there is seems good: for when the database has refused it, since somebody has revoked the lease or
   * changed the password before its time.
   * @throws KernelError, TypeError as `current`.
   */
  refresh(): Promise<DatabaseLogin>
  /**
   * Told of each other user or password, after the first. @returns Ends that.
   */
  onChange(listener: (login: DatabaseLogin) => void): () => void
  /** Revokes the lease, if there is one. Idempotent. */
  close(): Promise<void>
}

/** Whose users they are. */
export type CredentialSourceOptions =
  | {
      /** The name of a role: users of its own. */
      readonly role: string
    }
  | {
      /** The name of a static role: its one user. */
      readonly static_role: string
    }

/** The methods of the facade that it works by. */
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
  /** Milliseconds: from then on it is looked after. */
  readonly renewAt: number
  /** Milliseconds: it is good until then. */
  readonly expiresAt: number
  readonly lease?: { readonly id: string; readonly seconds: number }
}

/** Of its life, behind which it is looked after. */
const RENEW_AFTER_FRACTION = 2 / 3

/** A renewal that gives less than this part of what was given first has met the maximum: another user takes over. */
const MIN_RENEWAL_FRACTION = 1 / 2

export function credentialSource(
  giving: CredentialOperations,
  { now, leases, atTick }: Pick<FacadeParts, 'now' | 'leases' | 'atTick'>,
  given: CredentialSourceOptions,
): CredentialSource {
  const options: { role?: string; static_role?: string } = readOptions(
    'credentialSource',
    given as object,
    { role: 1, static_role: 1 } as never,
  )
  const { role, static_role } = options
  const take =
    static_role !== undefined
      ? fetchStaticLogin(giving, now, static_role)
      : fetchDynamicLogin(giving, now, leases, role as string)
  if ((static_role === undefined) === (role === undefined) || typeof (role ?? static_role) !== 'string')
    throw new TypeError('credentialSource: takes the name of a role or of a static_role')
  const listeners = new Set<(login: DatabaseLogin) => void>()
  let held: CachedLogin | undefined
  let taking: Promise<CachedLogin> | undefined
  let closed = false
  const keep = (next: CachedLogin): CachedLogin => {
    const before = held?.login
    held = next
    const isOther = before && (before.username !== next.login.username || before.password !== next.login.password)
    if (isOther) for (const listener of [...listeners]) listener(next.login)
    return next
  }
  const taken = (): Promise<CachedLogin> => {
    taking ??= take(held)
      .then(keep)
      .finally(() => {
        taking = undefined
      })
    return taking
  }
  const look = async (anew: boolean): Promise<DatabaseLogin> => {
    if (closed) throw new TypeError('credentialSource: it is closed')
    if (!anew && held && now() < held.renewAt) return held.login
    try {
      return (await taken()).login
    } catch (error) {
      if (held && now() < held.expiresAt) return held.login
      throw error
    }
  }
  const stop = atTick(async () => {
    if (held && !closed && now() >= held.renewAt) await taken()
  })
  return {
    current: () => look(false),
    refresh: () => look(true),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      if (closed) return
      closed = true
      stop()
      const last = taking ? await taking.catch(() => held) : held
      if (last?.lease) await leases.revokeLease({ lease_id: last.lease.id })
    },
  }
}

const requirePassword = (password: string | undefined): string => {
  if (password !== undefined) return password
  throw new TypeError('credentialSource: the role gives no passwords')
}

const fetchStaticLogin = (giving: CredentialOperations, now: () => number, name: string) => async (): Promise<CachedLogin> => {
  const { username, password, ttl } = await giving.staticCreds({ name })
  // One whose rotation is late is looked at with every use: that asks nothing outside.
  const renewAt = now() + ttl * 1000
  return { login: { username, password: requirePassword(password) }, renewAt, expiresAt: Number.POSITIVE_INFINITY }
}

function fetchDynamicLogin(giving: CredentialOperations, now: () => number, leases: FacadeParts['leases'], name: string) {
  const until = (seconds: number) => {
    const at = now()
    return { renewAt: at + seconds * 1000 * RENEW_AFTER_FRACTION, expiresAt: at + seconds * 1000 }
  }
  return async (held: CachedLogin | undefined): Promise<CachedLogin> => {
    if (held?.lease && now() < held.expiresAt) {
      const { id, seconds } = held.lease
      const renewed = await leases.renewLease({ lease_id: id }).catch(() => undefined)
      if (renewed && renewed.lease_duration >= seconds * MIN_RENEWAL_FRACTION)
        return { ...held, ...until(renewed.lease_duration) }
    }
    const { username, password, lease_id, lease_duration } = await giving.creds({ name })
    const lease = { id: lease_id, seconds: lease_duration }
    return { login: { username, password: requirePassword(password) }, ...until(lease_duration), lease }
  }
}
