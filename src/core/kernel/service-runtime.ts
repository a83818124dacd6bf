/** The runtime that the kernel and the configuration service have in common: store, caches, deadlines and gate. */
import type { RecordCipher } from '../barrier/record-cipher.ts'
import { type Clock, checkedClock, systemClock } from '../base/clock.ts'
import { DEFAULT_TIMEOUT_MS, Deadline } from '../base/deadline.ts'
import { type Entropy, systemEntropy } from '../base/entropy.ts'
import type { PortRules, Ports } from '../contract/ports.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { WorkersPort } from '../contract/workers-port.ts'
import type { CryptoBackend, Wipeable } from '../crypto/backend.ts'
import { KeyCache } from '../crypto/key-cache.ts'
import { nobleCrypto } from '../crypto/noble/index.ts'
import type { RsaPort } from '../crypto/rsa/arithmetic.ts'
import { withRsa } from '../crypto/rsa/with-rsa.ts'
import { Gate } from '../exchange/gate.ts'
import type { Storage } from '../storage/port.ts'
import { Acknowledgement } from '../transaction/acknowledgement.ts'
import { RecordCache } from '../transaction/cache.ts'
import { Counters } from '../transaction/counters.ts'
import { EventBus } from '../transaction/events/bus.ts'
import { Failures } from '../transaction/failures.ts'
import { Forwarding } from '../transaction/forwarding.ts'
import { Freshness } from '../transaction/freshness/freshness.ts'
import type { Host } from '../transaction/host.ts'
import { ReplicationPositionSource } from '../transaction/replication-position.ts'
import { Store } from '../transaction/store.ts'
import { boundPorts } from './bound-ports.ts'

/** Options of the kernel and of the configuration service. */
export interface ServiceRuntimeOptions {
  readonly storage: Storage
  readonly clock?: Clock | undefined
  readonly entropy?: Entropy | undefined
  readonly crypto?: CryptoBackend | undefined
  readonly rsa?: RsaPort | undefined
  readonly workers?: WorkersPort | undefined
  readonly fips?: boolean | undefined
  readonly ports?: Ports | undefined
  readonly effectTimeoutMs?: number | undefined
  readonly storageTimeoutMs?: number | undefined
  readonly cache?:
    | { readonly records?: number; readonly keys?: number; readonly keyBytes?: number; readonly stalenessMs?: number }
    | undefined
}

/** The parts of the runtime in which the kernel and the configuration service differ. */
interface ServiceParts {
  readonly ciphertextPrefix: string
  readonly headerPrefix: string
  readonly ports: Readonly<Record<string, PortRules>>
  readonly tracer: Tracer
  /** The configuration service has no leases and logins, so it never calls these functions. */
  readonly access: Pick<Host, 'issueLease' | 'previewLease' | 'issueLogin'>
  /** Encrypts and decrypts records. */
  readonly records: RecordCipher
}

/** Manages the keys that encrypt a store. */
export interface StoreKeys {
  /** Whether records can be read now. */
  readonly open: boolean
  /** Called when the store has been opened, before any request is served. */
  opened(): Promise<void>
  /**
   * Applies changes that other processes made to the keys. Returns false if this process cannot apply them. The process must then seal
   * itself.
   */
  refresh(): Promise<boolean>
  forget(): void
}

export interface ServiceRuntime {
  readonly host: Host
  readonly gate: Gate
  readonly deadline: Deadline
  /** Aborted when the service closes. */
  readonly closed: AbortController
  /** Ends the watch of a shared storage. */
  unwatch: () => Promise<void>
  /** The running unseal, if any. */
  opening: Promise<void> | undefined
  /** Incremented when the service is sealed or closed. A running unseal compares it to detect that it must fail. */
  generation: number
}

/** The `unwatch` function of a storage that is not watched. */
export const NOT_WATCHING = async (): Promise<void> => {}

const DEFAULT_RECORDS = 10_000

/** Enough for 20,000 AES keys. */
const DEFAULT_CACHED_KEY_BYTES = 64 * 1024 * 1024

const DEFAULT_STALENESS_MS = 2000

export function createServiceRuntime(options: ServiceRuntimeOptions, parts: ServiceParts): ServiceRuntime {
  const clock = checkedClock(options.clock ?? systemClock)
  const entropy = options.entropy ?? systemEntropy()
  const closed = new AbortController()
  const deadline = new Deadline(clock, options.effectTimeoutMs ?? DEFAULT_TIMEOUT_MS, closed.signal)
  const { storage, storageTimeoutMs: timeoutMs, crypto = nobleCrypto() } = options
  const store = new Store({ storage, barrier: parts.records, clock, entropy, deadline, timeoutMs })
  const cache = new RecordCache(options.cache?.records ?? DEFAULT_RECORDS)
  const keys = new KeyCache<Wipeable>({
    keys: options.cache?.keys ?? Number.POSITIVE_INFINITY,
    bytes: options.cache?.keyBytes ?? DEFAULT_CACHED_KEY_BYTES,
  })
  const bound = options.cache?.stalenessMs ?? DEFAULT_STALENESS_MS
  const failures = new Failures()
  const host: Host = {
    env: {
      crypto: options.rsa ? withRsa(crypto, options.rsa.open(entropy)) : crypto,
      entropy,
      ciphertextPrefix: parts.ciphertextPrefix,
      headerPrefix: parts.headerPrefix,
      fips: options.fips ?? false,
      ports: boundPorts(options.ports ?? {}, parts.ports, deadline),
      closing: closed.signal,
      deadline,
      workers: options.workers?.open(),
    },
    clock,
    store,
    cache,
    keys,
    freshness: new Freshness({ store, clock, cache, keys, stalenessMs: bound }),
    counters: new Counters({ store, cache }),
    forwarding: new Forwarding(),
    acknowledgement: new Acknowledgement(),
    replicationPosition: new ReplicationPositionSource(),
    failures,
    events: new EventBus(clock, parts.tracer.events, (failure) => failures.note(failure)),
    ...parts.access,
  }
  return { host, gate: new Gate(), deadline, closed, unwatch: NOT_WATCHING, opening: undefined, generation: 0 }
}
