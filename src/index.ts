/**
 * The public surface: re-exports only.
 */

export { type VerifyAuditOptions, verifyAudit, type WhoUsedOptions, whoUsed } from './audit-log.ts'
export type { AuditAuth, AuditEntry, AuditLink, AuditRequest, AuditResponse } from './core/audit/entry.ts'
export type { AuditLines } from './core/audit/lines.ts'
export type {
  AuditFormat,
  AuditPort,
  AuditSink,
  AuditSinkFactory,
  AuditSinkOptions,
  AuditSinkRequest,
} from './core/audit/sink.ts'
export type { AuditProblem, AuditProblemKind, AuditVerdict } from './core/audit/verify.ts'
export type { AuditUse } from './core/audit/who-used.ts'
export type { LoginRefusalReason } from './core/auth/login/refusal.ts'
export type {
  LocalEnvironment,
  ReviewFailure,
  TokenReviewAnswer,
  TokenReviewer,
  TokenReviewRequest,
} from './core/auth/login/token-reviewer.ts'
export { type Clock, systemClock } from './core/clock.ts'
export type { CryptoBackend } from './core/crypto/backend.ts'
export type { TickOptions, TickResult } from './core/due/tick.ts'
export { type Entropy, systemEntropy } from './core/entropy.ts'
export { type ErrorCode, KernelError } from './core/errors.ts'
export type { EventListener, ListenOptions, OnOptions, StreamOptions } from './core/events/bus.ts'
export type { CommittedEvents, EventData, EventType, KernelEvent, KernelEvents, RefusalEvents } from './core/events/event.ts'
export type { Mounted } from './core/mount/engine.ts'
export type { CallOptions, ItemReply, Reply } from './core/operation/api.ts'
export type { KernelOptions } from './core/options.ts'
export type { ManagedKeyRef, ManagedKeys, ManagedSigning, Pgp, Ports } from './core/ports.ts'
export type { LongWorkOptions, Progress } from './core/progress.ts'
export type { KernelRequest, KernelResponse, Naming } from './core/request/request.ts'
export type { TracedRequest } from './core/request/tracer.ts'
export type { Initialized } from './core/seal/initialize.ts'
export { type KeySealOptions, keySeal } from './core/seal/key-seal.ts'
export { type KmsClient, kmsSeal } from './core/seal/kms-seal.ts'
export type { ReencryptProgress } from './core/seal/reencrypt.ts'
export { type AnySeal, type ManualSeal, type Seal, shamirSeal } from './core/seal/seal.ts'
export { decodeToken } from './core/seal/token-pad.ts'
export type { SealStatus } from './core/sealing.ts'
export type { ClaimStatus, KernelStatus, LaneStatus } from './core/status.ts'
export {
  type BackupOptions,
  type BackupProgress,
  backupStorage,
  type RestoreOptions,
  type RestoreResult,
  restoreStorage,
} from './core/storage/backup.ts'
export { type CopyOptions, type CopyProgress, type CopyResult, copyStorage } from './core/storage/copy-storage.ts'
export { completeStorage, type StorageCore } from './core/storage/defaults.ts'
export { type MemoryStorage, type MemoryStorageOptions, memoryStorage } from './core/storage/memory.ts'
export type { MemoryTransaction } from './core/storage/memory-transaction.ts'
export {
  type Capabilities,
  type Change,
  type Commit,
  type Entry,
  logKey,
  MAX_KEY_BYTES,
  type Op,
  OutcomeUnknown,
  type Page,
  type Revision,
  type Storage,
} from './core/storage/port.ts'
export { createKernel } from './create-kernel.ts'
export { createDevKernel } from './dev-kernel.ts'
export type { RewrapAllArguments, RewrapAllResult, RewrapItem, RewrapProgress } from './engines/transit/rewrap-all.ts'
export type { Cubbyhole, Kv, Kv2, Orchestrator, Transit } from './engines.ts'
export type { Events } from './events-view.ts'
export type { Kernel, KernelView, TokenView } from './kernel.ts'
export type {
  Audit,
  GenerateOperationToken,
  GenerateRoot,
  Identity,
  Leases,
  Mounts,
  Namespaces,
  Policies,
  Rekey,
  Tokens,
  Wrapping,
} from './kernel-view.ts'
export type { InitializeArguments, SealControl, UnsealArguments } from './seal-control.ts'
