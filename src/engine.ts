/**
 * `strongroom/engine`: everything that an engine or an auth method needs from this package. `docs/adding-an-engine.md` builds an example of
 * an engine and one of an auth method.
 *
 * An engine is a value: operations, handlers for due work, for leases or for logins, and a facade on the kernel. It reads and writes only
 * the records of its own mount, through `tx`.
 */

export { checkCidr } from './core/access/cidr.ts'
export { SHOWN_SETTINGS, shownSettings } from './core/access/login/shown-settings.ts'
export { changeTokenSettings, NO_TOKEN_SETTINGS, TOKEN_SETTINGS } from './core/access/login/token-settings.ts'
export type { Allowance } from './core/base/allowance.ts'
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './core/base/base64.ts'
export { fromUtf8, toUtf8 } from './core/base/bytes.ts'
export { rfc3339 } from './core/base/clock.ts'
export type { Entropy } from './core/base/entropy.ts'
export { invalid, KernelError, notFound } from './core/base/errors.ts'
export { foldName } from './core/base/fold-name.ts'
export { fitsAny } from './core/base/glob.ts'
export { base62, toHex, uuid } from './core/base/identifiers.ts'
export type { Steps } from './core/base/steps.ts'
export type { Api, CallOptions, Reply } from './core/contract/api.ts'
export { AUTH, type Auth, authWire } from './core/contract/auth-reply.ts'
export type { Caller } from './core/contract/caller.ts'
export {
  type DueEffect,
  dropIntent,
  type Effect,
  type EffectContext,
  effect,
  type ImmediateAnswer,
  NotApplied,
  type PreparedEffect,
  type Recovery,
} from './core/contract/effect.ts'
export {
  type DueHandler,
  type Engine,
  type EngineValue,
  engineValue,
  type FreshMount,
  type LazyEngine,
} from './core/contract/engine.ts'
export type { Environment } from './core/contract/environment.ts'
export type { CommittedEvents, RefusalEvents } from './core/contract/event.ts'
export type { Facade, Mounted, OtherMounts } from './core/contract/facade.ts'
export type { Lane } from './core/contract/lane.ts'
export { type LeaseHandler, RevokeLater } from './core/contract/lease-handler.ts'
export {
  type EngineLease,
  LEASED,
  type Leased,
  type LeasePreview,
  type LeaseRequest,
  type LeaseTerms,
  leasedWire,
} from './core/contract/lease-terms.ts'
export type { LiveSecret, LiveSecrets } from './core/contract/live-secrets.ts'
export type { LoginHandler } from './core/contract/login-handler.ts'
export type { LoginRefusalReason, LoginRefusalReasons } from './core/contract/login-reason.ts'
export { refuseLogin, reportLoginRefusals, takeLoginAllowance } from './core/contract/login-refusal.ts'
export { capMountTtl, type LoginRequest, type RenewalTerms } from './core/contract/login-terms.ts'
export { effectiveTtl, type MountRecord } from './core/contract/mount-record.ts'
export {
  type BatchOperation,
  batchOperation,
  effectOperation,
  type OperationKind,
  operation,
  type SingleOperation,
  type Verb,
} from './core/contract/operation.ts'
export {
  isAnything,
  isBytes,
  type PortMap,
  type PortMethod,
  type PortMethods,
  type PortRules,
  type Ports,
  portMap,
  portMethods,
} from './core/contract/ports.ts'
export { jsonRecord, type RecordKind, type SecretKind, textRecord } from './core/contract/record-kind.ts'
export type { TokenSettings } from './core/contract/token-settings.ts'
export type { Call, Tx, Work } from './core/contract/tx.ts'
export type { WireReply } from './core/contract/wire-reply.ts'
export type { CryptoBackend, HashName, Wipeable } from './core/crypto/backend.ts'
export { loadCurves } from './core/crypto/curves/curve-code.ts'
export { equalBytes } from './core/crypto/equal.ts'
export { type Argon2Cost, argon2id, type ScryptCost, scrypt } from './core/crypto/password-hash.ts'
export type { Arguments, Builder, Field, Fields, Parsed, Result } from './core/field/field.ts'
export { f } from './core/field/fields.ts'
export { loadAll } from './core/transaction/load-all.ts'
