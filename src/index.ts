/** The public API: only re-exports. */

export { type VerifyAuditOptions, verifyAudit, type WhoUsedOptions, whoUsed } from './audit-log.ts'
export type { AuditLines } from './core/audit/lines.ts'
export type { AuditProblem, AuditProblemKind, AuditVerdict } from './core/audit/verify.ts'
export type { AuditUse } from './core/audit/who-used.ts'
export { type Clock, systemClock } from './core/base/clock.ts'
export type { TemporalDuration } from './core/base/duration-value.ts'
export { type Entropy, systemEntropy } from './core/base/entropy.ts'
export { type ErrorCode, KernelError } from './core/base/errors.ts'
export type { OptionDuration } from './core/base/options.ts'
export type { LongWorkOptions, Progress } from './core/base/progress.ts'
export type { CallOptions, ItemReply, OpenTransactions, Reply, SqlTransaction } from './core/contract/api.ts'
export type { AuditAuth, AuditEntry, AuditLink, AuditRequest, AuditResponse } from './core/contract/audit-entry.ts'
export type {
  AuditFormat,
  AuditPort,
  AuditSink,
  AuditSinkFactory,
  AuditSinkOptions,
  AuditSinkRequest,
} from './core/contract/audit-port.ts'
export type { CommittedEvents, EventData, EventType, KernelEvent, KernelEvents, RefusalEvents } from './core/contract/event.ts'
export type { Mounted, OtherMounts } from './core/contract/facade.ts'
export type { FencePort } from './core/contract/fence-port.ts'
export type { LoginRefusalReason, LoginRefusalReasons } from './core/contract/login-reason.ts'
export type { Pgp, Ports } from './core/contract/ports.ts'
export type { MessageHandler, ReplicationTransport, TransportListener } from './core/contract/replication-transport.ts'
export type { KernelRequest, KernelResponse, Naming } from './core/contract/request.ts'
export type { TracedRequest } from './core/contract/tracer.ts'
export type { CryptoBackend, HashName } from './core/crypto/backend.ts'
export { type NobleOptions, nobleCrypto } from './core/crypto/noble/index.ts'
export type { RsaPort } from './core/crypto/rsa/index.ts'
export type { FailedItem } from './core/due/failed-item.ts'
export type { StartOptions } from './core/due/start-options.ts'
export type { TickOptions, TickResult } from './core/due/tick.ts'
export type { DurationInput } from './core/field/scalar-fields.ts'
export type { KeySetFetcher, KeySetRequest } from './core/jwt/key-set-fetcher.ts'
export type { ReviewFailure, TokenReviewAnswer, TokenReviewer, TokenReviewRequest } from './core/jwt/token-reviewer.ts'
export type { ReplicationLag } from './core/kernel/background-services.ts'
export type { KernelOptions } from './core/kernel/options.ts'
export type { ReplicationOptions, SyncAcknowledgement } from './core/kernel/replication-options.ts'
export type { SealStatus } from './core/kernel/seal-status.ts'
export type { ClaimStatus, KernelStatus, LaneStatus } from './core/kernel/status.ts'
export type { Initialized } from './core/seal/initialize.ts'
export { type KeySealOptions, keySeal } from './core/seal/key-seal.ts'
export { type KmsClient, kmsSeal } from './core/seal/kms-seal.ts'
export type { ReencryptProgress } from './core/seal/reencrypt.ts'
export { type AnySeal, type ManualSeal, type Seal, shamirSeal } from './core/seal/seal.ts'
export { decodeToken } from './core/seal/token-pad.ts'
export {
  type BackupOptions,
  type BackupProgress,
  backupStorage,
  type CopyOptions,
  type CopyProgress,
  type CopyResult,
  copyStorage,
  type RestoreOptions,
  type RestoreResult,
  restoreStorage,
} from './core/storage/backup-calls.ts'
export { completeStorage, type StorageCore } from './core/storage/complete-storage.ts'
export {
  type MemoryStorage,
  type MemoryStorageOptions,
  type MemoryTransaction,
  memoryStorage,
} from './core/storage/memory-storage.ts'
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
  type StorageFailure,
} from './core/storage/port.ts'
export type { EventListener, ListenOptions, OnOptions, StreamOptions } from './core/transaction/events/bus.ts'
export type { ShownFailure } from './core/transaction/failures.ts'
export { createKernel, type SeededKernelOptions } from './create-kernel.ts'
export { createDevKernel, type DevKernelOptions } from './dev-kernel.ts'
export type {
  AssumedRole,
  AssumeRoleRequest,
  CloudAccessKey,
  CloudClient,
  CloudFailure,
  CloudFailureReason,
  CloudProvider,
  CloudSettings,
  CloudTag,
  CloudUser,
  FederationTokenRequest,
  HandedCredentials,
  NewCloudAccessKey,
  NewCloudUser,
  SessionPolicy,
  TemporaryCredentials,
} from './engines/cloud/port.ts'
export type { CredentialSource, CredentialSourceOptions, DatabaseLogin } from './engines/database/credential-source.ts'
export type {
  ConnectionDetails,
  CredentialType,
  DatabaseConnection,
  DatabaseCredential,
  DatabaseFailure,
  DatabaseFailureReason,
  DatabasePlugin,
  DatabaseUserChange,
  DroppedDatabaseUser,
  NewDatabaseUser,
} from './engines/database/port.ts'
export type { StandardSchema } from './engines/kv/standard-schema.ts'
export type { ValidatedSecret, ValidatedSecret2 } from './engines/kv/validated-secret.ts'
export type { LocalEnvironment } from './engines/orchestrator/port.ts'
export type {
  DecryptSyncOptions,
  EncryptSyncOptions,
  HmacSyncOptions,
  KeyHandleOptions,
  SignSyncOptions,
  TransitHandle,
  VerifySyncOptions,
} from './engines/transit/handle.ts'
export type { KeyTypeName, SymmetricKeyType } from './engines/transit/key-types/index.ts'
export type { ManagedKeyRef, ManagedKeys, ManagedSigning } from './engines/transit/port.ts'
export type { KeyCensus } from './engines/transit/stored/census.ts'
export type { RewrapAllResult, RewrapItem, RewrappedItem } from './engines/transit/stored/items.ts'
export type {
  RewrapAllArguments,
  RewrapAllOptions,
  RewrapProgress,
} from './engines/transit/stored/rewrap-all.ts'
export type { Cloud, Cubbyhole, Database, Kv, Kv2, Orchestrator, Transit } from './engines.ts'
export type { Events } from './events-view.ts'
export type { Kernel, KernelView, TokenView } from './kernel.ts'
export type { Identity, KernelTokens, Mounts, Tokens } from './kernel-view.ts'
export type { InitializeArguments, SealControl, UnsealArguments } from './seal-control.ts'
export type { Seed, SeedMount } from './seed/seed.ts'
export type { Plugins } from './sys/plugins/engine.ts'
export { storageFence } from './sys/replication/fence/storage-fence.ts'
export { inProcessNetwork } from './sys/replication/in-process-network.ts'
export type { LostRecord } from './sys/replication/lost/export-lost.ts'
export type { Drift } from './sys/sync/drift.ts'
export type { ReconcileScope, Sync } from './sys/sync/engine.ts'
export type {
  SyncConfig,
  SyncDescribe,
  SyncDescription,
  SyncDestination,
  SyncFailure,
  SyncFailureKind,
  SyncFieldError,
  SyncGranularity,
  SyncPut,
  SyncPutResult,
  SyncRemove,
  SyncRules,
  SyncSession,
} from './sys/sync/port.ts'
export type { SyncType } from './sys/sync/types.ts'
export type {
  Audit,
  GenerateOperationToken,
  GenerateRoot,
  KernelWrapping,
  Leases,
  Namespaces,
  Policies,
  Rekey,
  Wrapping,
} from './sys-parts.ts'
