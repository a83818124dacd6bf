/**
 * `strongroom/engine`: what an engine or an auth method of your own is made of. `docs/adding-an-engine.md` builds one of each.
 *
 * An engine is a value: operations, the work it does when something is due, what becomes of its leases or logins, and how it shows itself on a
 * kernel. It sees the records of its own mount through `tx`, and nothing else.
 */
export type { Caller } from './core/auth/caller.ts'
export { checkCidr } from './core/auth/cidr.ts'
export { fitsAny } from './core/auth/glob.ts'
export { type LoginRefusalReason, refuseLogin, tellingRefusals } from './core/auth/login/refusal.ts'
export { SHOWN_SETTINGS, shownSettings } from './core/auth/login/shown-settings.ts'
export { boundedBy, type LoginHandler, type LoginWish, type RenewalTerms } from './core/auth/login/terms.ts'
export {
  changeTokenSettings,
  NO_TOKEN_SETTINGS,
  TOKEN_SETTINGS,
  type TokenSettings,
} from './core/auth/login/token-settings.ts'
export { AUTH, type Auth, authWire } from './core/auth/token/auth-reply.ts'
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './core/base64.ts'
export { fromUtf8, toUtf8 } from './core/bytes.ts'
export { rfc3339 } from './core/clock.ts'
export type { CryptoBackend, HashName, Steps, Wipeable } from './core/crypto/backend.ts'
export { equalBytes } from './core/crypto/equal.ts'
export type { Lane } from './core/due/lane.ts'
export type { Entropy } from './core/entropy.ts'
export { invalid, KernelError, notFound } from './core/errors.ts'
export type { CommittedEvents, RefusalEvents } from './core/events/event.ts'
export { base62, toHex, uuid } from './core/identifiers.ts'
export {
  type HeldLease,
  LEASED,
  type Leased,
  type LeaseHandler,
  type LeaseTerms,
  type LeaseWish,
  leasedWire,
} from './core/lease/terms.ts'
export {
  type DueHandler,
  type Engine,
  type EngineValue,
  engineValue,
  type Facade,
  type FreshMount,
  type Mounted,
} from './core/mount/engine.ts'
export { effectiveTtl, type MountRecord } from './core/mount/mount.ts'
export type { Api, CallOptions, Reply } from './core/operation/api.ts'
export type { Arguments, Builder, Field, Fields, Parsed, Result } from './core/operation/field.ts'
export { f } from './core/operation/fields.ts'
export { batchOperation, type Kind, operation, type Verb } from './core/operation/operation.ts'
export type { WireReply } from './core/operation/wire-reply.ts'
export type { Ports } from './core/ports.ts'
export type { Call } from './core/request/call.ts'
export { gather } from './core/transaction/gather.ts'
export { jsonRecord, type RecordKind, type SecretKind, textRecord } from './core/transaction/record-kind.ts'
export type { Environment, Tx, Work } from './core/transaction/tx.ts'
