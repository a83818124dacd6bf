/** The state and components of one configuration service, which uses the store of a kernel or a separate store. */
import { TokenSalt } from '../core/access/token/token-id.ts'
import { Allowance } from '../core/base/allowance.ts'
import { KernelError } from '../core/base/errors.ts'
import type { Tracer } from '../core/contract/tracer.ts'
import { BodyBudget } from '../core/exchange/body-budget.ts'
import type { Gate } from '../core/exchange/gate.ts'
import type { Host } from '../core/transaction/host.ts'
import { type Fence, Keyspace } from '../core/transaction/keyspace.ts'
import { CONFIGSVC } from '../core/transaction/service-keyspaces.ts'
import { AuthorizerCache } from './acl/authorizer-cache.ts'
import { AUTHORIZERS } from './acl/token-authorizer.ts'
import { createConfiguredToken } from './acl/tokens/bootstrap.ts'
import { APP_CALL } from './call.ts'
import { configKey, loadFirstRecords, TOKEN_SALT_KEY } from './first-records.ts'
import { COUNTER, COUNTER_ID, readCounter } from './index/counter.ts'
import { IndexFeed } from './index/feed.ts'
import { PublishedKeySets } from './methods/published-keys.ts'
import { ROUTED_OPERATIONS } from './operations.ts'
import type { CheckedConfigOptions } from './options.ts'
import { CONFIG_SETTINGS, type ConfigSettings } from './settings.ts'
import { BlockingReads } from './view/blocking-reads.ts'
import { ConfigRunner } from './view/config-runner.ts'
import { ConfigPathView } from './view/path-view.ts'

/**
 * Limits the work of logins whose bearer token turns out to be invalid: at most `most` in a burst, and `perSecond` on average. The unit is a
 * millisecond of processor time for a signature check, or one token review.
 */
const UNAUTHENTICATED_LIMITS = { perSecond: 100, most: 1000 }

export interface CoreParts {
  readonly host: Host
  readonly gate: Gate
  readonly tracer: Tracer
  /** The id of the kernel; absent for a service with a store of its own. */
  readonly kernelId?: string
}

export class ConfigCore {
  readonly gate: Gate
  readonly host: Host
  readonly settings: ConfigSettings
  readonly keyspace: Keyspace
  readonly runner: ConfigRunner
  readonly feed: IndexFeed
  readonly reads: BlockingReads
  readonly pathView: ConfigPathView
  #fence: Fence | undefined
  #loaded = false
  #loading: Promise<void> | undefined

  constructor({ host, gate, tracer, kernelId }: CoreParts, options: CheckedConfigOptions) {
    const { clock, env, cache } = host
    this.gate = gate
    this.host = host
    const salt = new TokenSalt()
    this.settings = {
      ...options,
      salt,
      keySets: new PublishedKeySets(clock, env.crypto, env.ports.keySets),
      unauthenticatedAllowance: new Allowance(clock, UNAUTHENTICATED_LIMITS.perSecond, UNAUTHENTICATED_LIMITS.most),
    }
    CONFIG_SETTINGS.install(env, this.settings)
    AUTHORIZERS.install(env, new AuthorizerCache())
    const counter = configKey(COUNTER, COUNTER_ID)
    const rules = { fences: () => this.#fences(), revalidate: () => this.#assertFenceUnchanged(), orderKey: counter }
    this.keyspace = new Keyspace(CONFIGSVC, host, rules, true)
    this.runner = new ConfigRunner(host, this.keyspace)
    this.feed = new IndexFeed({
      clock,
      key: counter,
      onChange: (listener) => cache.onChange(listener),
      read: async () => this.runner.read(readCounter, APP_CALL),
    })
    // When a cluster joins a replication set, it deletes the records of its store. The salt must then be loaded again.
    cache.onChange(({ keys }) => {
      if (!keys || keys.includes(TOKEN_SALT_KEY)) this.#loaded = false
    })
    env.closing.addEventListener('abort', () => this.feed.failAll(), { once: true })
    this.reads = new BlockingReads({
      runner: this.runner,
      feed: this.feed,
      gate,
      clock,
      entropy: env.entropy,
      hash: env.crypto.hash('sha2-256'),
    })
    this.pathView = new ConfigPathView({
      operations: ROUTED_OPERATIONS,
      clock,
      gate,
      settings: this.settings,
      bodies: new BodyBudget(),
      tracer,
      kernelId,
      reads: this.reads,
      ready: () => this.ready(),
    })
  }

  /** Returns undefined if the service is ready, which is the usual case; otherwise a promise that resolves when the service is ready. */
  ready(): Promise<void> | undefined {
    if (this.#loaded) return undefined
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Called when the store is sealed. */
  onSealed(): void {
    this.#fence = undefined
    this.#loaded = false
    this.settings.salt.forget()
    this.feed.failAll()
  }

  async #load(): Promise<void> {
    const { bootstrapToken, salt } = this.settings
    const { fence } = await loadFirstRecords(this.host, salt)
    this.#fence = fence
    if (bootstrapToken !== undefined) await this.runner.commit((tx) => createConfiguredToken(tx, bootstrapToken), APP_CALL)
    // If the store was sealed during the load, `onSealed` has cleared `#fence`. In that case the state does not count as loaded.
    this.#loaded = this.#fence === fence
  }

  #fences(): readonly Fence[] {
    if (!this.#fence) throw new KernelError('ERR_SEALED', 'the service was sealed while the request ran')
    return [this.#fence]
  }

  async #assertFenceUnchanged(): Promise<void> {
    const fence = this.#fence
    const [version] = fence ? await this.host.store.versions([fence.key]) : []
    if (fence && version === fence.version) return
    this.#fence = undefined
    this.#loaded = false
    throw new KernelError('ERR_UNAVAILABLE', 'the records of this service were deleted while the request ran')
  }
}
