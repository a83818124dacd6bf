/**
 * Authenticates tokens: finds the caller that a token belongs to, and the policies of the caller.
 *
 * Callers are cached by token. Using a token again costs a map lookup for the token and for each of its ancestors. A cached caller becomes
 * invalid when the record of its token or of an ancestor changes; when any policy, entity, namespace or mount changes; when one of its
 * policies or rules expires; and when a cutoff is added.
 */
import { KernelError } from '../base/errors.ts'
import type { TokenCaller } from '../contract/caller.ts'
import { KernelService } from '../contract/kernel-service.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { TokenRecord } from '../contract/token-record.ts'
import type { Tx } from '../contract/tx.ts'
import type { Topology } from '../mount/topology.ts'
import type { Acl } from '../policy/acl.ts'
import { NO_POLICIES_ACL, ROOT_ACL } from '../policy/constant-acl.ts'
import { isValidAt } from '../policy/validity.ts'
import type { Change } from '../storage/port.ts'
import { coreKeyPrefix } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { ENTITY, type EntityRecord } from './identity/entity.ts'
import { ROOT_POLICY } from './policies.ts'
import { type Ancestor, ancestors } from './token/ancestry.ts'
import { isBatchToken, openBatchToken } from './token/batch-token.ts'
import { storedId } from './token/stored-id.ts'
import { normalizePolicies, TOKEN } from './token/token.ts'
import { MAX_TOKEN_CHARACTERS } from './token/token-id.ts'

interface CachedCaller {
  readonly caller: TokenCaller
  /** The token, followed by its ancestors. */
  readonly chain: readonly Ancestor[]
  /** The earliest expiry of the token and its ancestors, in milliseconds since the epoch. */
  readonly ends: number
  readonly epoch: number
}

/** The owner of a set of policies. */
export interface PolicyHolder {
  readonly namespace: NamespaceRecord
  /** The names of the policies. */
  readonly policies: readonly string[]
  readonly entity: EntityRecord | undefined
}

/** Makes the ACLs of callers. */
export interface AclSource {
  /**
   * @param epoch The value of a counter of changes that may affect ACLs, read before the caller was looked up.
   * @param current The value of this counter now.
   */
  aclOf(tx: Tx, holder: PolicyHolder, epoch: number, current: number): Acl
  /** Discards all cached ACLs. */
  forget(): void
}

/** Matches storage keys. A change of a record with such a key invalidates all cached callers. */
const RULES = /^(?:r\/core\/(?:policy|entity|alias|namespace|mount)|l\/core\/ending)\//

const MAX_CACHED_CALLERS = 10_000

/** The token authenticator of the current kernel. */
export const TOKEN_AUTHENTICATOR = /* @__PURE__ */ new KernelService<TokenAuthenticator>()

export class TokenAuthenticator {
  readonly #host: Host
  readonly #topology: Topology
  readonly #known = new Map<string, CachedCaller>()
  #epoch = 0
  /** Set by the part `policies()`. In a kernel without that part, only root tokens are allowed anything. */
  acls: AclSource | undefined
  /**
   * Returns the wrapping token in a signed JWT, and any other token unchanged. Undefined if the JWT is invalid. Set by the part
   * `wrapping()`. In a kernel without that part, no token has the form of a JWT, so a JWT is an unknown token.
   */
  wrappingTokenIn: (tx: Tx, text: string) => string | undefined = (_, text) => text

  constructor(host: Host, topology: Topology) {
    this.#host = host
    this.#topology = topology
    host.cache.onChange((change) => this.#note(change))
  }

  /** The cached caller of a token. Undefined if it is not cached or if anything that it depends on has changed. */
  cachedCaller(text: string): TokenCaller | undefined {
    const known = this.#known.get(text)
    const now = this.#host.clock.now()
    if (!this.#host.freshness.isFresh(now)) return undefined
    if (!known || known.epoch !== this.#epoch || isOver(known.ends, now)) return undefined
    if (!isValidAt(known.caller.acl.validity, now)) return undefined
    const tokens = this.#host.cache.table(TOKEN, TOKENS)
    for (const { id, record } of known.chain) {
      const entry = tokens.entries.get(id)
      if (entry?.value !== record) return undefined
      entry.used = true
    }
    return known.caller
  }

  /** @throws KernelError 403. The error is the same for every invalid token. */
  find(tx: Tx, text: string): TokenCaller {
    if (text.length > MAX_TOKEN_CHARACTERS) throw deniedError()
    const epoch = this.#epoch
    const batch = isBatchToken(text)
    const own = batch ? openBatchToken(tx, text) : undefined
    const inner = this.wrappingTokenIn(tx, text)
    if (inner === undefined) throw deniedError()
    const id = batch ? '' : storedId(tx, inner)
    const chain = ancestors(tx, own ? own.parent : id)
    const token = own ?? chain?.[0]?.record
    if (!chain || !token) throw deniedError()
    const ends = Math.min(
      ...[own, ...chain.map(({ record }) => record)].map((record) => record?.expires ?? Number.POSITIVE_INFINITY),
    )
    if (isOver(ends, tx.now)) throw deniedError()
    const caller = this.#caller(tx, text, id, token, epoch)
    this.#remember(text, { caller, chain, ends, epoch })
    return caller
  }

  /** The caller of a token whose record has already been read. */
  describe(tx: Tx, id: string, token: TokenRecord): TokenCaller {
    return this.#caller(tx, '', id, token, this.#epoch)
  }

  forget(): void {
    this.#known.clear()
    this.acls?.forget()
    this.#epoch++
  }

  #caller(tx: Tx, text: string, id: string, token: TokenRecord, epoch: number): TokenCaller {
    const namespace = this.#topology.namespaces.byUuid(token.namespace)
    if (!namespace || !this.#topology.serves(namespace) || !this.#topology.mounts.byId(token.mount)) throw deniedError()
    const entity = token.entity === '' ? undefined : tx.get(ENTITY, `${namespace.uuid}/${token.entity}`)
    if (entity?.disabled) throw deniedError()
    const identityPolicies = normalizePolicies(entity?.policies ?? [])
    const names = [...new Set([...token.policies, ...identityPolicies])]
    const acl = names.includes(ROOT_POLICY)
      ? ROOT_ACL
      : (this.acls?.aclOf(tx, { namespace, policies: names, entity }, epoch, this.#epoch) ?? NO_POLICIES_ACL)
    return { kind: 'token', text, id, token, namespace, identityPolicies, acl }
  }

  #remember(text: string, known: CachedCaller): void {
    if (this.#known.size >= MAX_CACHED_CALLERS) this.#known.clear()
    this.#known.set(text, known)
  }

  #note({ keys }: Change): void {
    if (!keys || keys.some((key) => RULES.test(key))) this.#epoch++
  }
}

/** If the current time is unknown, a token with an expiry counts as expired. */
const isOver = (ends: number, now: number): boolean => ends !== Number.POSITIVE_INFINITY && !(Number.isFinite(now) && now < ends)

const TOKENS = /* @__PURE__ */ coreKeyPrefix(TOKEN)

export const deniedError = (): KernelError => new KernelError('ERR_PERMISSION_DENIED', 'permission denied')
