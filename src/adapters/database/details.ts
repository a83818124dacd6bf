/**
 * Parses the details (parameters of a connection) that all database plugins share. Details are stored as they were given, so they are
 * parsed at each use.
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
  /** Maximum age of a connection in milliseconds. Infinity for no limit. */
  readonly lifetimeMs: number
}

export interface CommonDetails {
  readonly connectionUrl: string
  readonly username: string
  readonly password: string
  readonly disableEscaping: boolean
  readonly limits: PoolLimits
}

/** Returns an empty string if the detail is absent or null. */
export function textDetail(details: ConnectionDetails, name: string): string {
  const value = details[name] ?? ''
  if (typeof value !== 'string') throw invalidFailure(`${name}: must be a string`)
  if (value.length > MAX_TEXT_CHARACTERS) throw invalidFailure(`${name}: must be at most ${MAX_TEXT_CHARACTERS} characters`)
  if (value.includes('\0')) throw invalidFailure(`${name}: must not contain a NUL character`)
  if (LONE_SURROGATE.test(value)) throw invalidFailure(`${name}: must be well-formed Unicode`)
  return value
}

/** Accepts booleans, and the strings and numbers that Go's `strconv.ParseBool` accepts. */
export function booleanDetail(details: ConnectionDetails, name: string): boolean {
  const value = details[name] ?? false
  if (typeof value === 'boolean') return value
  if (value === '' || value === 0 || (typeof value === 'string' && /^(0|f|F|false|False|FALSE)$/.test(value))) return false
  if (value === 1 || (typeof value === 'string' && /^(1|t|T|true|True|TRUE)$/.test(value))) return true
  throw invalidFailure(`${name}: must be true or false`)
}

function countDetail(details: ConnectionDetails, name: string): number {
  const value = details[name] ?? 0
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value === '' ? 0 : value
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > MAX_CONNECTIONS)
    throw invalidFailure(`${name}: must be an integer from 0 to ${MAX_CONNECTIONS}`)
  return count
}

function durationDetail(details: ConnectionDetails, name: string): number {
  const value = details[name] ?? 0
  if (typeof value === 'string' || typeof value === 'number')
    try {
      return parseDuration(value, name)
    } catch {
      // Ignore this error. The error below names the accepted forms.
    }
  throw invalidFailure(`${name}: must be a duration: a number of seconds, or a string such as 90s or 1h30m`)
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

/** @throws DatabaseError `invalid` if a detail is invalid. */
export function readDetails(details: ConnectionDetails): CommonDetails {
  const connectionUrl = textDetail(details, 'connection_url')
  if (connectionUrl === '') throw invalidFailure('connection_url: is required')
  const username = textDetail(details, 'username')
  const password = textDetail(details, 'password')
  if (hasPlaceholder(username) || hasPlaceholder(password))
    throw invalidFailure('username, password: must not contain the placeholders of connection_url')
  // The kernel executes the template, so only its type is checked here.
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
 * Throws if no user is configured. Only a login calls this: a connection may be stored without a user, for example before the user exists.
 * @throws DatabaseError `invalid` if the user is empty.
 */
export function assertUser(user: string): void {
  if (user === '') throw invalidFailure('username: is required, since connection_url contains no user')
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/

/** Removes `password`, `private_key` and every value that contains a private key, and masks passwords in the URL. */
export function redactSecrets(details: ConnectionDetails, maskUrl: (url: string) => string): ConnectionDetails {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(details)) {
    if (name === 'password' || name === 'private_key') continue
    if (typeof value === 'string' && PRIVATE_KEY.test(value)) continue
    shown[name] = name === 'connection_url' && typeof value === 'string' ? maskUrl(value) : value
  }
  return shown
}

/** Warns of a password that is written in the URL, because a rotation cannot change it. */
export function urlWarnings({ connection_url: url }: ConnectionDetails, maskUrl: (url: string) => string): readonly string[] {
  if (typeof url !== 'string' || maskUrl(url) === url) return []
  return [
    'connection_url: contains a password; write {{password}} in its place and give the parameter password, so that it stays secret and can be rotated',
  ]
}
