/**
 * What the details of all connections have in common. Details are stored as they were given, so they are read anew each time.
 */
import { parseDuration } from '../../core/base/duration.ts'
import type { ConnectionDetails } from '../../engines/database/port.ts'
import { invalidFailure } from './failure.ts'
import { hasPlaceholder } from './url.ts'

const MAX_TEXT_CHARACTERS = 65_536
const LONE_SURROGATE = /\p{Cs}/u
const MAX_CONNECTIONS = 1000
const DEFAULT_CONNECTIONS = 4

export interface PoolLimits {
  readonly maxOpen: number
  readonly maxIdle: number
  /** How old a connection may get, in milliseconds; Infinity where it may get any age. */
  readonly lifetimeMs: number
}

export interface CommonDetails {
  readonly connectionUrl: string
  readonly username: string
  readonly password: string
  readonly disableEscaping: boolean
  readonly limits: PoolLimits
}

/** Absent and null are the empty text. */
export function textDetail(details: ConnectionDetails, name: string): string {
  const value = details[name] ?? ''
  if (typeof value !== 'string') throw invalidFailure(`${name} has to be a text`)
  if (value.length > MAX_TEXT_CHARACTERS) throw invalidFailure(`${name} is longer than ${MAX_TEXT_CHARACTERS} characters`)
  if (value.includes('\0')) throw invalidFailure(`${name} holds a NUL character`)
  if (LONE_SURROGATE.test(value)) throw invalidFailure(`${name} is no well-formed text`)
  return value
}

/** Also as a text or a number, as Go's `strconv.ParseBool` reads them. */
export function booleanDetail(details: ConnectionDetails, name: string): boolean {
  const value = details[name] ?? false
  if (typeof value === 'boolean') return value
  if (value === '' || value === 0 || (typeof value === 'string' && /^(0|f|F|false|False|FALSE)$/.test(value))) return false
  if (value === 1 || (typeof value === 'string' && /^(1|t|T|true|True|TRUE)$/.test(value))) return true
  throw invalidFailure(`${name} has to be true or false`)
}

function countDetail(details: ConnectionDetails, name: string): number {
  const value = details[name] ?? 0
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value === '' ? 0 : value
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > MAX_CONNECTIONS)
    throw invalidFailure(`${name} has to be a whole number from 0 to ${MAX_CONNECTIONS}`)
  return count
}

function durationDetail(details: ConnectionDetails, name: string): number {
  const value = details[name] ?? 0
  if (typeof value === 'string' || typeof value === 'number')
    try {
      return parseDuration(value, name)
    } catch {
      // Said below.
    }
  throw invalidFailure(`${name} has to be a duration: a number of seconds, or a text such as 90s or 1h30m`)
}

function poolLimits(details: ConnectionDetails): PoolLimits {
  const maxOpen = countDetail(details, 'max_open_connections') || DEFAULT_CONNECTIONS
  const seconds = durationDetail(details, 'max_connection_lifetime')
  return {
    maxOpen,
    maxIdle: Math.min(countDetail(details, 'max_idle_connections') || maxOpen, maxOpen),
    lifetimeMs: seconds === 0 ? Infinity : seconds * 1000,
  }
}

/** @throws DatabaseError `invalid` */
export function readDetails(details: ConnectionDetails): CommonDetails {
  const connectionUrl = textDetail(details, 'connection_url')
  if (connectionUrl === '') throw invalidFailure('connection_url is missing')
  const username = textDetail(details, 'username')
  const password = textDetail(details, 'password')
  if (hasPlaceholder(username) || hasPlaceholder(password))
    throw invalidFailure('username and password cannot hold the placeholders of connection_url')
  // The kernel runs it.
  textDetail(details, 'username_template')
  return {
    connectionUrl,
    username,
    password,
    disableEscaping: booleanDetail(details, 'disable_escaping'),
    limits: poolLimits(details),
  }
}

/**
 * A connection may be stored without a user, such as before the user exists; only a login needs one.
 * @throws DatabaseError `invalid`
 */
export function assertUser(user: string): void {
  if (user === '') throw invalidFailure('username: is missing, and connection_url names no user')
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/

/** Without `password` and whatever holds a private key. */
export function redactSecrets(details: ConnectionDetails, maskUrl: (url: string) => string): ConnectionDetails {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(details)) {
    if (name === 'password' || name === 'private_key') continue
    if (typeof value === 'string' && PRIVATE_KEY.test(value)) continue
    shown[name] = name === 'connection_url' && typeof value === 'string' ? maskUrl(value) : value
  }
  return shown
}

/** A password that stands in the URL itself is never changed by a rotation. */
export function urlWarnings({ connection_url: url }: ConnectionDetails, maskUrl: (url: string) => string): readonly string[] {
  if (typeof url !== 'string' || maskUrl(url) === url) return []
  return [
    'connection_url holds a password: write {{password}} in its place and give password, so that it is kept secret and can be rotated',
  ]
}
