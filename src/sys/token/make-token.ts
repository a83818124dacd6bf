/** Creates tokens, as in Vault. The token record depends on the caller, the request and, if the request names one, the token role. */

import { entityOfAlias } from '../../core/access/identity/entity.ts'
import { DEFAULT_POLICY, loadPolicy, ROOT_POLICY } from '../../core/access/policies.ts'
import { type Ancestor, ancestors } from '../../core/access/token/ancestry.ts'
import { authOf } from '../../core/access/token/auth-reply.ts'
import { issueToken, newNames } from '../../core/access/token/issue-token.ts'
import { expiryOf } from '../../core/access/token/store-token.ts'
import { storedId } from '../../core/access/token/stored-id.ts'
import { deniedError } from '../../core/access/token-authenticator.ts'
import { alreadyExists, invalid, notFound } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { fitsAny } from '../../core/base/glob.ts'
import type { Auth } from '../../core/contract/auth-reply.ts'
import { effectiveTtl } from '../../core/contract/mount-record.ts'
import type { TokenRecord } from '../../core/contract/token-record.ts'
import { grantTtl } from '../../core/contract/ttl.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { creatingToken } from './calling-token.ts'
import { checkRoot, choosePolicies } from './choose-policies.ts'
import { type Limits, limitsOf } from './limits.ts'
import { checkId, readTimes, type TokenRequest, tokenDisplayName } from './token-request.ts'
import { roleNamed, type TokenRole } from './token-role.ts'

/** Which of the three operations creates the token: `create`, `create-orphan`, or `create` with a role. */
interface Way {
  /** The path of the request, which token lookups show. */
  readonly path: string
  readonly orphan?: true
  readonly role?: string
}

/** The maximum number of policies whose existence is checked for warnings. More would make the commit expensive: it verifies each read. */
const MAX_CHECKED_POLICIES = 48

/** The maximum length of a policy name. No policy has a longer name, because the name is a part of a storage key. */
const MAX_POLICY_NAME_CHARACTERS = 512

export function makeToken(tx: Tx, request: TokenRequest, way: Way): Auth {
  const role = way.role === undefined ? undefined : roleNamed(tx, way.role)
  if (way.role !== undefined && !role) throw notFound(`role_name: unknown role ${way.role}`, 400)
  const parent = creatingToken(tx)
  const { namespace, sudo, mount } = tx.call
  const foreign = parent !== undefined && parent.record.namespace !== namespace.uuid
  if (foreign && !sudo) throw invalid('root or sudo privileges required to create a token in a child namespace')
  const type = typeOf(request, role)
  const policies = policiesOf(tx, request, parent, role, type)
  const orphan = createsOrphan(tx, request, way, parent, role)
  const times = readTimes(request)
  if (times.period > 0 && !sudo) throw invalid('period: root or sudo privileges required to create periodic token')
  const limits = limitsOf(tx, request, times, role)
  checkBatch(type, request, limits)
  const ttl = lifetime(tx, times.ttl, limits, policies)
  if (ttl === 0 && parent && parent.record.expires !== null)
    throw invalid('ttl: expiring root tokens cannot create non-expiring root tokens')
  const service = type === 'service'
  const record: TokenRecord = {
    type,
    ...newNames(tx, type),
    namespace: namespace.uuid,
    policies,
    path: role?.path_suffix ? `${way.path}/${role.path_suffix}` : way.path,
    meta: request.meta ? { ...request.meta } : null,
    display_name: tokenDisplayName(request.display_name),
    num_uses: limits.numUses,
    created: tx.now,
    expires: expiryOf(tx.now, ttl),
    creation_ttl: ttl,
    last_ttl: ttl,
    renewed: null,
    renewable: service && ttl > 0 && request.renewable && role?.renewable !== false,
    explicit_max_ttl: times.explicitMax,
    period: times.period,
    parent: parent && !orphan ? parent.id : '',
    role: way.role ?? '',
    entity: entityFor(tx, request, role) ?? (parent && !orphan && !foreign ? parent.record.entity : ''),
    bound_cidrs:
      role && role.token_bound_cidrs.length > 0 ? role.token_bound_cidrs : orphan ? [] : (parent?.record.bound_cidrs ?? []),
    mount: mount.uuid,
    state: 'live',
  }
  const text = issueToken(tx, record, request.id === '' ? undefined : chosenToken(tx, request.id))
  warnOfUnknown(tx, policies)
  return authOf(tx, text, record, ttl)
}

function typeOf({ type: asked }: TokenRequest, role: TokenRole | undefined): 'service' | 'batch' {
  const set = role?.token_type
  const type = set === 'service' || set === 'batch' ? set : asked || (set === 'default-batch' ? 'batch' : 'service')
  if (type !== 'service' && type !== 'batch') throw invalid("type: invalid 'token_type' value")
  return type
}

function policiesOf(
  tx: Tx,
  { policies: asked, no_default_policy: noDefault }: TokenRequest,
  parent: Ancestor | undefined,
  role: TokenRole | undefined,
  type: 'service' | 'batch',
): readonly string[] {
  const { namespace, sudo } = tx.call
  const child = namespace.path !== ''
  const own = parent?.record.namespace === namespace.uuid
  if (!parent && asked.length === 0 && !(role && role.allowed_policies.length > 0))
    throw invalid('policies: required when the application creates a token')
  const chosen = choosePolicies({ asked, noDefault, parent: own ? parent.record.policies : undefined, sudo, role })
  if (chosen.some((name) => name.length > MAX_POLICY_NAME_CHARACTERS))
    throw invalid(`policies: each name must have at most ${MAX_POLICY_NAME_CHARACTERS} characters`)
  checkRoot(chosen, { maker: parent?.record.policies, child, batch: type === 'batch' })
  return chosen
}

function createsOrphan(
  tx: Tx,
  { no_parent }: TokenRequest,
  way: Way,
  parent: Ancestor | undefined,
  role: TokenRole | undefined,
): boolean {
  if (!parent || way.orphan) return true
  if (role) return role.orphan
  if (no_parent && !tx.call.sudo) throw invalid('no_parent: root or sudo privileges required to create orphan token')
  return no_parent
}

/** Returns the id of the entity with the alias in the request; undefined if the request has no alias. Creates a missing entity. */
function entityFor(tx: Tx, { entity_alias }: TokenRequest, role: TokenRole | undefined): string | undefined {
  if (entity_alias === '') return undefined
  if (!role) throw invalid("entity_alias: 'entity_alias' is only allowed in combination with token role")
  const alias = foldName(entity_alias)
  if (!fitsAny(alias, role.allowed_entity_aliases)) throw invalid("entity_alias: invalid 'entity_alias' value")
  const entity = entityOfAlias(tx, tx.call.namespace, tx.call.mount, alias)
  if (entity.disabled) throw deniedError()
  return entity.id
}

function checkBatch(type: 'service' | 'batch', { id }: TokenRequest, limits: Limits): void {
  if (type === 'service') return
  const set = { explicit_max_ttl: limits.explicitMax > 0, num_uses: limits.numUses > 0, period: limits.period > 0, id: id !== '' }
  for (const [name, is] of Object.entries(set)) if (is) throw invalid(`${name}: batch tokens cannot have "${name}" set`)
}

/** Returns the lifetime in seconds; 0 for a root token without limits, which does not expire. */
function lifetime(tx: Tx, asked: number, { period, explicitMax }: Limits, policies: readonly string[]): number {
  const root = policies.includes(ROOT_POLICY)
  if (root && asked === 0 && period === 0 && explicitMax === 0) return 0
  const increment = asked || (root ? explicitMax : 0)
  const mount = effectiveTtl(tx.call.mount)
  const { ttl, warnings } = grantTtl({ increment, period, explicitMax, start: tx.now, now: tx.now, mount })
  for (const warning of warnings) tx.warn(warning)
  return ttl
}

function chosenToken(tx: Tx, id: string): string {
  if (!tx.call.sudo) throw invalid('id: root or sudo privileges required to specify token id')
  if (tx.call.namespace.path !== '') throw invalid('id: token IDs can only be manually specified in the root namespace')
  checkId(id)
  if (ancestors(tx, storedId(tx, id))) throw alreadyExists('id: cannot create a token with a duplicate ID')
  return id
}

function warnOfUnknown(tx: Tx, policies: readonly string[]): void {
  for (const name of policies.slice(0, MAX_CHECKED_POLICIES)) {
    if (name === ROOT_POLICY || name === DEFAULT_POLICY) continue
    if (!loadPolicy(tx, tx.call.namespace, name)) tx.warn(`Policy "${name}" does not exist`)
  }
}
